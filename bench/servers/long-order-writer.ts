import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEntry } from "../../src/journal/entry.ts";
import { migrate } from "../../src/journal/sqlite/migrations.ts";
import { makeDurable } from "../../src/journal/sqlite/writer/durability.ts";
import { writer } from "../../src/journal/sqlite/writer/writer.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { orderLane } from "../../src/operation/lane.ts";
import { openProjection } from "../../src/store/store-projection.ts";
import {
  longOrder,
  longOrderCancellation,
  longOrderNumber,
  longOrderStep,
} from "../figures/events/long-order-requests.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** How often the long order was changed before it is measured. */
export interface LongOrderJob {
  readonly changes: number;
}

/** Processor time of the writer in milliseconds, one value for each of them. */
export interface LongOrderTimes {
  readonly pushes: readonly number[];
  readonly cancellations: readonly number[];
  readonly steps: readonly number[];
  readonly modelSteps: readonly number[];
  /** To compare with: reading and writing the JSON text of the order once. */
  readonly texts: readonly number[];
}

const repetitions = 7;

await serveJobs(() => ({ run: (job) => measured(job as LongOrderJob) }));

/** Processor time of this thread, in milliseconds. */
function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Runs the journal's writer in this thread, with its commits, on a store of its own. */
function measured({ changes }: LongOrderJob): LongOrderTimes {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-long-order-"));
  const database = openDatabase(join(folder, "crossdock.db"));
  makeDurable(database);
  migrate(database);
  let id = 0;
  const { write, checkpoint } = writer({
    ...{ isBoot: true, database, inherited: [], emissionTarget: null, newEntryId: () => `evt_e${++id}` },
    projection: openProjection(database, {}),
  });
  /** Stores one entry and returns the processor time for it. */
  const stored = (direction: NewEntry["direction"], topic: string, payload: object): number => {
    const body = JSON.stringify(payload);
    const entry: NewEntry = {
      ...{ id: `evt_${++id}`, direction, topic, lanes: [orderLane(longOrderNumber)], body, payload: null },
      ...{ acceptLanguage: null, receivedAt: 1_800_000_000_000 + id },
    };
    const ms = processorMs(() => {
      const [result] = write([{ name: "append", entries: [entry], leaseToken: "" }]).results;
      if (result === undefined || "error" in result) throw new Error(`not stored: ${result?.error}`);
    });
    // Another thread does this in the service.
    checkpoint();
    return ms;
  };
  try {
    const some = (measure: (nth: number) => number) => Array.from({ length: repetitions }, (_, nth) => measure(nth));
    stored("in", "workOrders", longOrder(0));
    stored("out", "confirmStep", longOrderStep(-1, true));
    for (let nth = 1; nth <= changes; nth++) stored("in", "workOrders", longOrder(nth));
    stored("out", "confirmStep", longOrderStep(-2, true));
    return {
      steps: some((nth) => stored("out", "confirmStep", longOrderStep(nth, false))),
      modelSteps: some((nth) => stored("out", "confirmStep", longOrderStep(repetitions + nth, true))),
      pushes: some((nth) => stored("in", "workOrders", longOrder(changes + 1 + nth))),
      texts: some((nth) => {
        const text = JSON.stringify(longOrder(nth));
        return processorMs(() => JSON.stringify(JSON.parse(text)));
      }),
      cancellations: some((nth) => stored("in", "cancellations", longOrderCancellation(nth))),
    };
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
