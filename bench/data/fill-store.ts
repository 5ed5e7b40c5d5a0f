import { join } from "node:path";
import { readPush } from "../../src/engine/intake/read-push.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/open-sqlite-journal.ts";
import { beginCopy } from "../../src/journal/sqlite/recovery/plan-recovery.ts";
import { newId } from "../../src/kit/ids.ts";
import { silentLog } from "../../src/kit/log.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { connectorStates } from "../../src/runtime/connector-state.ts";
import { limitsMark } from "../../src/sdk/servable-record.ts";
import { embedded } from "../../src/store/connector.ts";
import { checkedLimits } from "../../src/store/stored-soundness.ts";
import type { StoreSize } from "../harness/processes/workshop.ts";
import { deliverSample, multiplySample } from "./delivered-entries.ts";
import { order } from "./orders.ts";

const ordersPerPush = 2000;

export async function fillStore({ folder, orders, lines, deliveredEntries = 0 }: StoreSize & { folder: string }) {
  const databaseFile = join(folder, "crossdock.db");
  if (deliveredEntries > 0) {
    await inJournal(databaseFile, deliverSample);
    multiplySample(databaseFile, deliveredEntries);
    // Rows written without the journal would otherwise count as damage.
    beginCopy(databaseFile);
  }
  await inJournal(databaseFile, (journal) => pushOrders(journal, orders, lines));
  await markChecked(folder);
}

/**
 * Marks the records as checked, because pushes of this version are within its limits. Without the mark, the first start
 * would check all of them while it is measured.
 */
async function markChecked(folder: string): Promise<void> {
  const states = connectorStates({ dataFolder: folder, log: silentLog });
  await states.of(embedded.type).write(checkedLimits, limitsMark());
  states.close();
}

async function inJournal(databaseFile: string, use: (journal: Journal) => Promise<void>): Promise<void> {
  const { projectionModule } = embedded;
  const journal = await openSqliteJournal({ databaseFile, projectionModule, projectionOptions: {} });
  await use(journal);
  await journal.close();
}

/** Loads orders as pushes do, without HTTP: they are read, written to the journal and applied. */
async function pushOrders(journal: Journal, orders: number, lines: number): Promise<void> {
  for (let start = 0; start < orders; start += ordersPerPush) {
    const length = Math.min(ordersPerPush, orders - start);
    const pushed = Array.from({ length }, (_, index) => order(start + index, lines));
    const reading = readPush("workOrders", pushed, { timeZone: "UTC", timeOfDay: "00:00" });
    if ("problems" in reading) throw new Error(`the orders to fill with are invalid: ${JSON.stringify(reading)}`);
    const receivedAt = systemClock.now();
    await journal.append(reading.entries.map((entry) => ({ ...entry, id: `evt_${newId(systemClock)}`, receivedAt })));
  }
}
