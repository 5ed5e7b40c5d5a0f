import { join } from "node:path";
import { embedded } from "../../src/connectors/embedded/connector.ts";
import { readPush } from "../../src/engine/read-push.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/open-sqlite-journal.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import { order } from "./orders.ts";

const ordersPerPush = 2000;

/** Brings orders in the way pushes come in: read, journaled and applied; only the HTTP part is left out. */
export async function fillStore(needs: { folder: string; orders: number; lines: number }): Promise<void> {
  const journal = await openSqliteJournal({
    databaseFile: join(needs.folder, "crossdock.db"),
    residentModule: embedded.residentModule,
    residentOptions: {},
  });
  for (let start = 0; start < needs.orders; start += ordersPerPush) {
    const length = Math.min(ordersPerPush, needs.orders - start);
    const pushed = Array.from({ length }, (_, index) => order(start + index, needs.lines));
    const reading = readPush("workOrders", pushed, { timeZone: "UTC", timeOfDay: "00:00" });
    if ("problems" in reading) throw new Error(`the orders to fill with are invalid: ${JSON.stringify(reading)}`);
    const receivedAt = systemClock.now();
    await journal.append(reading.entries.map((entry) => ({ ...entry, id: `evt_${newId(systemClock)}`, receivedAt })));
  }
  await journal.close();
}
