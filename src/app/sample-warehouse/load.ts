import type { Engine } from "../../engine/engine.ts";
import { readPush } from "../../engine/intake/read-push.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { DateSettings } from "../../operation/dates.ts";

/** What was loaded, and a code to scan. */
export interface LoadedSample {
  readonly orders: number;
  readonly items: number;
  readonly scanCode: string;
  readonly storage: string;
}

/** Loads the sample warehouse as ordinary pushes, all of them or none. */
export async function loadSampleWarehouse({
  engine,
  clock,
  dates,
}: {
  engine: Pick<Engine, "accept">;
  clock: Clock;
  dates: DateSettings;
}): Promise<LoadedSample> {
  // Loaded only here, because only the first start needs it.
  const [{ sampleItems, sampleStock }, { sampleOrders }] = await Promise.all([
    import("./items.ts"),
    import("./orders.ts"),
  ]);
  const items = sampleItems();
  const orders = sampleOrders(clock.now(), items);
  const readings = [
    readPush("items", items, dates),
    readPush("stock", sampleStock(clock.now()), dates),
    readPush("workOrders", orders, dates),
  ];
  const entries = readings.flatMap((reading) => {
    if ("problems" in reading) throw new Error(`the sample warehouse is invalid: ${JSON.stringify(reading.problems)}`);
    return reading.entries;
  });
  const acceptance = await engine.accept(entries);
  if ("notStored" in acceptance) throw new Error("the sample warehouse could not be stored; see the log");
  const first = orders[0];
  return {
    orders: orders.length,
    items: items.length,
    scanCode: first?.number ?? "",
    storage: first?.designatedStorageName ?? "",
  };
}
