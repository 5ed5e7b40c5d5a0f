import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { ResidentModule } from "../resident.ts";
import type { Command, Result } from "./command.ts";
import { makeDurable } from "./durability.ts";
import { holdInstanceLock } from "./instance-lock.ts";
import { migrate } from "./migrations.ts";
import { type Writer, writer } from "./writer.ts";

/** How many batches may pass before the log is folded into the database file. */
const batchesPerCheckpoint = 200;

export interface WriterSettings {
  readonly databaseFile: string;
  readonly residentModule: string | null;
  readonly residentOptions: unknown;
  readonly emissionTarget: string | null;
}
export type ToWriter = { readonly commands: readonly Command[] } | "close";
export type FromWriter = "ready" | { readonly failed: string } | { readonly results: readonly Result[] };

if (parentPort === null) throw new Error("the journal's writer runs only as a worker thread");
const port = parentPort;
const settings = workerData as WriterSettings;
const send = (message: FromWriter) => port.postMessage(message);

let database: Database;
/** Null while the database cannot be opened: then every batch is refused, and opening is tried again. */
let current: Writer | null = null;
let batches = 0;
let releaseLock: (() => void) | undefined;

try {
  releaseLock = holdInstanceLock(`${settings.databaseFile}.lock`);
  await open();
  send("ready");
} catch (error) {
  send({ failed: describe(error) });
  process.exit();
}

port.on("message", async (message: ToWriter) => {
  if (message === "close") return close();
  const refuse = (error: unknown) => send({ results: message.commands.map(() => ({ error: describe(error) })) });
  try {
    if (current === null) await open();
    send({ results: current?.write(message.commands) ?? [] });
    if (++batches % batchesPerCheckpoint === 0) current?.checkpoint();
  } catch (error) {
    // The disk failed under this handle. Nothing of the batch counts as stored; the next one gets a fresh handle.
    refuse(error);
    current = null;
    if (database.isOpen()) database.close();
  }
});

async function open(): Promise<void> {
  database = openDatabase(settings.databaseFile);
  makeDurable(database);
  migrate(database);
  const module = settings.residentModule === null ? null : ((await import(settings.residentModule)) as ResidentModule);
  current = writer({
    database,
    resident: module?.openResident(database, settings.residentOptions) ?? null,
    emissionTarget: settings.emissionTarget,
    newEntryId: () => `evt_${newId(systemClock)}`,
  });
}

function close(): void {
  current?.checkpoint();
  if (database.isOpen()) database.close();
  releaseLock?.();
  port.close();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
