import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import type { DateSettings } from "../operation/dates.ts";
import { type BadStored, sweepStored } from "./sweep-stored.ts";

/** What the thread that checks a large store is given. */
export interface SweepJob {
  readonly databaseFile: string;
  readonly dates: DateSettings;
}

if (parentPort === null) throw new Error("a large store is checked only in a worker thread");
// Given by whoever starts this thread.
const { databaseFile, dates } = workerData as SweepJob;
// Nobody waits for it. On other systems this would set the priority of the whole process.
if (process.platform === "linux") setPriority(0, 10);
const database = openDatabase(databaseFile, { readOnly: true });
const bad: BadStored[] = [];
for (const some of sweepStored(database, dates)) for (const one of some) bad.push(one);
database.close();
parentPort.postMessage(bad);
