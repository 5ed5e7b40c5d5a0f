import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import type { DateSettings } from "../operation/dates.ts";
import { type BadStored, sweepStored } from "./sweep-stored.ts";

/** The input of the thread that checks a large store. */
export interface SweepJob {
  readonly databaseFile: string;
  readonly dates: DateSettings;
}

if (parentPort === null) throw new Error("a large store is checked only in a worker thread");
// Set by storedSoundness, which starts this thread.
const { databaseFile, dates } = workerData as SweepJob;
// Nobody waits for this thread. On other systems the call would lower the priority of the whole process.
if (process.platform === "linux") setPriority(0, 10);
const database = openDatabase(databaseFile, { readOnly: true });
const bad: BadStored[] = [];
for (const some of sweepStored(database, dates)) for (const one of some) bad.push(one);
database.close();
parentPort.postMessage(bad);
