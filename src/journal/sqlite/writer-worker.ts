import { parentPort, workerData } from "node:worker_threads";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { ResidentModule } from "../resident.ts";
import { makeDurable } from "./durability.ts";
import { holdInstanceLock } from "./instance-lock.ts";
import { migrate } from "./migrations.ts";
import { type Group, type GroupResult, type Writer, writer } from "./writer.ts";

/** How many batches may pass before the log is folded into the database file. */
const batchesPerCheckpoint = 200;

export interface WriterSettings {
  readonly databaseFile: string;
  readonly residentModule: string | null;
  readonly residentOptions: unknown;
}
export type ToWriter = { readonly groups: readonly Group[] } | "close";
export type FromWriter = "ready" | { readonly failed: string } | { readonly results: readonly GroupResult[] };

if (parentPort === null) throw new Error("the journal's writer runs only as a worker thread");
const port = parentPort;
const settings = workerData as WriterSettings;
const send = (message: FromWriter) => port.postMessage(message);

let database: Database;
let current: Writer;
let batches = 0;
let releaseLock: (() => void) | undefined;

try {
  releaseLock = holdInstanceLock(`${settings.databaseFile}.lock`);
  await open();
  send("ready");
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) });
  process.exit();
}

port.on("message", async (message: ToWriter) => {
  if (message === "close") return close();
  try {
    send({ results: current.write(message.groups) });
    if (++batches % batchesPerCheckpoint === 0) current.checkpoint();
  } catch (error) {
    // The disk failed under this handle. Nothing of the batch counts as stored; the next one gets a fresh handle.
    const reason = error instanceof Error ? error.message : String(error);
    send({ results: message.groups.map(() => ({ error: reason })) });
    database.close();
    await open();
  }
});

async function open(): Promise<void> {
  database = openDatabase(settings.databaseFile);
  makeDurable(database);
  migrate(database);
  const module = settings.residentModule === null ? null : ((await import(settings.residentModule)) as ResidentModule);
  current = writer({ database, resident: module?.openResident(database, settings.residentOptions) ?? null });
}

function close(): void {
  current.checkpoint();
  database.close();
  releaseLock?.();
  port.close();
}
