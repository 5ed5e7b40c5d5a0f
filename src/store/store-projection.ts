import type { PushedCancellation, PushedIndexableValue, PushedItem, PushedStock } from "../contract/pushes.ts";
import type { WorkOrder } from "../contract/schemas/work-order.ts";
import type { Applied, InlineProjection, ProjectionEntry } from "../journal/inline-projection.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import { Fault } from "../operation/fault.ts";
import { ok } from "../operation/outcome.ts";
import { openReceipts } from "./changes/filing/receipts.ts";
import { openChanges } from "./changes/open-changes.ts";
import { openWantedTable } from "./changes/wanted-table.ts";
import { workedBefore } from "./events/change-status.ts";
import { openEvents } from "./events/open-events.ts";
import { openFinishing } from "./finished/open-finishing.ts";
import { openLedger } from "./ledger/open-ledger.ts";
import { withDefaults } from "./option-defaults.ts";
import type { EmbeddedOptions } from "./options.ts";
import { openOrderStore } from "./order-store.ts";
import { pushIndexableValue, pushItem, pushStock, pushWorkOrder } from "./pushes/push-work-order.ts";
import { layout, migrate } from "./schema.ts";

export { layout };

/** However soon `removed` is told: between two steps of an order lie breaks and shifts. */
const leastSilenceMs = 2 * 3600 * 1000;

type Push = (payload: unknown, entry: ProjectionEntry) => void;

/** The writing half of the embedded system: what it does with each entry, inside the transaction that stores it. */
export function openProjection(database: Database, givenOptions: unknown): InlineProjection {
  // Checked with the rest of the configuration, before the writer was started with them.
  const options = withDefaults((givenOptions ?? {}) as Partial<EmbeddedOptions>);
  migrate(database);
  const orders = openOrderStore(database);
  const wanted = openWantedTable(database, orders);
  // One for all: what it remembers of the database, each of them may change.
  const ledger = openLedger({ database, orders, servedOf: wanted.servedOf });
  const changes = openChanges({ database, orders, ledger, wanted });
  const { derivedEvents: targets } = options;
  const finishing = targets === undefined ? undefined : openFinishing({ database, orders, ledger, targets });
  const events = new Map(Object.entries(openEvents({ database, orders, ledger, changes, options, finishing })));

  const { removedReceiptAfterMinutes } = options;
  const removedAfterMs = removedReceiptAfterMinutes * 60_000;
  const silentAfterMs = Math.max(removedAfterMs, leastSilenceMs);
  const receipts = openReceipts({
    ...{ database, takeChanged: changes.takeChanged },
    settleByTime: (entry) => {
      const now = entry.receivedAt;
      changes.settleByTime({ untouchedBefore: now - removedAfterMs, silentBefore: now - silentAfterMs }, entry);
    },
  });

  const takeOrder = pushWorkOrder({
    orders,
    changes,
    workedBefore: workedBefore({ database, ledger }),
  });
  const takeItem = pushItem(database);
  const takeStock = pushStock({ database, dates: options });
  const takeValue = pushIndexableValue(database);
  // Payloads were validated against the schema of their topic before they were written down.
  const pushes = new Map<string, Push>([
    ["workOrders", (payload, entry) => takeOrder(payload as WorkOrder, entry)],
    ["cancellations", (payload, entry) => changes.file(payload as PushedCancellation, entry)],
    ["stock", (payload, entry) => takeStock(payload as PushedStock, entry)],
    ["indexableValues", (payload) => takeValue(payload as PushedIndexableValue)],
    ["knownOrders", (payload) => orders.remember((payload as { numbers: readonly string[] }).numbers)],
  ]);

  const take = (entry: ProjectionEntry): boolean => {
    // Checked against the schema of its topic before it was written down.
    if (entry.topic === "items") return takeItem(entry.payload as PushedItem);
    const push = pushes.get(entry.topic);
    if (push === undefined) throw new Fault("broken", `nothing is done here with entries of topic ${entry.topic}`);
    push(entry.payload, entry);
    return orders.takeTouched();
  };

  return {
    apply: (entry): Applied => {
      // Left over from an entry that was rolled back.
      orders.takeTouched();
      orders.takeEnded();
      const event = events.get(entry.topic);
      const outcome = event === undefined ? ok(null) : event(entry.payload, entry);
      const touched = event === undefined ? take(entry) : orders.takeTouched();
      const due = receipts.take(entry);
      // An event that was refused has finished nothing.
      const emits = finishing === undefined || !outcome.ok ? due : [...due, ...finishing.take(entry)];
      // An order that fell silent may have ended with this entry, whatever that is about.
      const isTouched = orders.takeTouched() || touched;
      return emits.length === 0 ? { outcome, touched: isTouched } : { outcome, touched: isTouched, emits };
    },
    forget: () => {
      orders.forget();
      ledger.forget();
      wanted.forget();
      changes.forget();
      receipts.forget();
    },
  };
}
