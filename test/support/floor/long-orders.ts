import { onTestFinished } from "vitest";
import type { Database } from "../../../src/kit/sqlite/sqlite.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { manualTimers } from "../../../src/kit/time/timers.ts";
import { type LongOrders, openLongOrders } from "../../../src/store/long-orders/long-orders.ts";
import { orderSlices } from "../../../src/store/long-orders/order-slices.ts";

/** Long orders as the service reads them, but without a thread of its own. */
export function longOrdersIn(database: Database, timers = manualTimers(manualClock(0))): LongOrders {
  const answer = orderSlices(database);
  const thread = { run: async (job: Parameters<typeof answer>[0]) => answer(job), close: async () => {} };
  const longOrders = openLongOrders({ databaseFile: "", timers, thread });
  onTestFinished(longOrders.close);
  return longOrders;
}
