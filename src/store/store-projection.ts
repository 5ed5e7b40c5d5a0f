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
import { rememberOrders } from "./orders/remember-orders.ts";
import { pushIndexableValue, pushItem, pushStock, pushWorkOrder } from "./pushes/push-work-order.ts";
import { layout, migrate } from "./schema.ts";

export { layout };

/**
 * Lower limit, however short the time for `removed` receipts is: breaks and shifts lie between two steps of an order.
 */
const leastSilenceMs = 2 * 3600 * 1000;

type Push = (payload: unknown, entry: ProjectionEntry) => void;

/** The writing part of the embedded system: applies each entry inside the transaction that stores it. */
export function openProjection(database: Database, givenOptions: unknown): InlineProjection {
  // The configuration was validated before the writer was started with it.
  const options = withDefaults((givenOptions ?? {}) as Partial<EmbeddedOptions>);
  migrate(database);
  const orders = rememberOrders(openOrderStore(database));
  const wanted = openWantedTable(database, orders);
  // One ledger for all: each part changes the data that the ledger keeps in memory.
  const ledger = openLedger({ database, orders, servedOf: wanted.servedOf });
  const changes = openChanges({ database, orders, ledger, wanted });
  const { derivedEvents: targets } = options;
  const finishing = targets === undefined ? undefined : openFinishing({ database, orders, ledger, targets });
  const events = new Map(Object.entries(openEvents({ database, orders, ledger, changes, options, finishing })));

  const { removedReceiptAfterMinutes } = options;
  const removedAfterMs = removedReceiptAfterMinutes * 60_000;
  const silentAfterMs = Math.max(removedAfterMs, leastSilenceMs);
  const receipts = openReceipts({
    ...{ database, drainChanged: changes.drainChanged },
    settleByTime: (entry) => {
      const now = entry.receivedAt;
      changes.settleByTime({ untouchedBefore: now - removedAfterMs, silentBefore: now - silentAfterMs }, entry);
    },
  });

  const applyOrder = pushWorkOrder({
    orders,
    changes,
    workedBefore: workedBefore({ database, ledger }),
  });
  const applyItem = pushItem(database);
  const applyStock = pushStock({ database, dates: options });
  const applyIndexableValue = pushIndexableValue(database);
  // Payloads were validated against the schema of their topic before they were stored.
  const pushes = new Map<string, Push>([
    ["workOrders", (payload, entry) => applyOrder(payload as WorkOrder, entry)],
    ["cancellations", (payload, entry) => changes.file(payload as PushedCancellation, entry)],
    ["stock", (payload, entry) => applyStock(payload as PushedStock, entry)],
    ["indexableValues", (payload) => applyIndexableValue(payload as PushedIndexableValue)],
    ["knownOrders", (payload) => orders.remember((payload as { numbers: readonly string[] }).numbers)],
  ]);

  const applyPush = (entry: ProjectionEntry): boolean => {
    // Validated against the schema of its topic before it was stored.
    if (entry.topic === "items") return applyItem(entry.payload as PushedItem);
    const push = pushes.get(entry.topic);
    if (push === undefined) throw new Fault("broken", `nothing is done here with entries of topic ${entry.topic}`);
    push(entry.payload, entry);
    return orders.drainCachesOutdated();
  };

  return {
    apply: (entry): Applied => {
      // Clears what an entry that was rolled back may have left.
      orders.drainCachesOutdated();
      orders.drainEnded();
      const event = events.get(entry.topic);
      const outcome = event === undefined ? ok(null) : event(entry.payload, entry);
      const touched = event === undefined ? applyPush(entry) : orders.drainCachesOutdated();
      const due = receipts.drain(entry);
      // A refused event has finished nothing.
      const emits = finishing === undefined || !outcome.ok ? due : [...due, ...finishing.drain(entry)];
      // Another order whose waiting time is over may have ended with this entry, whatever the entry is about.
      const isTouched = orders.drainCachesOutdated() || touched;
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
