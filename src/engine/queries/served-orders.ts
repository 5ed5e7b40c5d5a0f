import type { InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Log } from "../../kit/log.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { say } from "../../messages/message.ts";
import { type AnyOutcome, type Fact, ReadyJson, refuse } from "../../operation/outcome.ts";

/** Takes note of the numbers of orders that an external system served. Never throws. */
export type ServedOrders = (numbers: readonly string[]) => Promise<void>;

/** More than are open anywhere at once. */
const rememberedNumbers = 200_000;
/** Few enough that an event never waits behind them. */
const numbersPerFact = 500;

/**
 * Writes down which orders the external systems have listed or found, so that events and reports about them find them
 * known, also while that system is down, after the order has left its list, and after a restart. Each number is written
 * once per run of the adapter.
 */
export function servedOrders({
  record,
  log,
}: {
  readonly record: (facts: readonly Fact[]) => Promise<void>;
  readonly log: Log;
}): ServedOrders {
  const written = recentValues<true>(rememberedNumbers);
  let last: Promise<void> = Promise.resolve();

  const write = async (numbers: readonly string[]) => {
    try {
      await record([{ topic: "knownOrders", lane: "", payload: { numbers } }]);
    } catch (error) {
      // Taken for new again when the system serves them next.
      for (const number of numbers) written.delete(number);
      log.warn({ err: error, orders: numbers.length }, "orders that were served could not be noted as known");
    }
  };

  return async (numbers) => {
    const fresh = new Set<string>();
    for (const number of numbers) {
      if (written.get(number) || fresh.has(number)) continue;
      fresh.add(number);
    }
    if (fresh.size === 0) return;
    const all = [...fresh];
    for (const number of all) written.set(number, true);
    for (let start = 0; start < all.length; start += numbersPerFact) {
      const some = all.slice(start, start + numbersPerFact);
      last = last.then(() => write(some));
    }
    // The answer waits for a few, so that a report that follows at once finds them; nobody waits for a long list.
    if (all.length <= numbersPerFact) await last;
  };
}

const fold = (name: string) => name.trim().normalize("NFC").toLowerCase();

/**
 * A scanned order that belongs to another storage is refused with the name of that storage, whoever found it: an external
 * system finds by the code, and does not know where the scan happened or does not look. Ready texts are from our own
 * store, which looks by itself.
 */
export function ofThisStorage(outcome: AnyOutcome, input: unknown): AnyOutcome {
  if (!outcome.ok || outcome.data === null || outcome.data instanceof ReadyJson) return outcome;
  // What a scan brings was checked against its row, and the order against its schema.
  const { StorageName } = input as InputOf<"findWorkOrderByCode">;
  // The order of a scan, as above.
  const { number, designatedStorageName } = outcome.data as unknown as WorkOrder;
  if (!designatedStorageName || !StorageName?.trim()) return outcome;
  if (fold(designatedStorageName) === fold(StorageName)) return outcome;
  return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage: designatedStorageName }));
}
