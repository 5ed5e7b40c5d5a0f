import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { ResidentModule } from "../resident.ts";
import { makeDurable } from "./durability.ts";
import { holdInstanceLock } from "./instance-lock.ts";
import { migrate } from "./migrations.ts";
import { type Group, type GroupResult, type Writer, writer } from "./writer.ts";

/** More at once would only make the first of them wait longer for its answer. */
const maxGroups = 1000;

/**
 * When the log is folded into the database file: at the next pause, so that no event waits for it; without a
 * pause, before the log is so long (64 MB) that a start after a crash would take noticeably longer to read it.
 */
const maxLogPages = 16_000;
const idleLogPages = 1_000;
const idleMs = 100;

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
let releaseLock: (() => void) | undefined;
let idle: NodeJS.Timeout | undefined;
let resident: ResidentModule | null = null;

try {
  if (settings.residentModule !== null) resident = (await import(settings.residentModule)) as ResidentModule;
  releaseLock = holdInstanceLock(`${settings.databaseFile}.lock`);
  open();
  send("ready");
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) });
  process.exit();
}

port.on("message", (first: ToWriter) => {
  const groups: Group[] = [];
  let message: ToWriter | undefined = first;
  // What came while the last batch was being written is the next batch.
  while (message !== undefined && message !== "close") {
    groups.push(...message.groups);
    message = groups.length < maxGroups ? received() : undefined;
  }
  if (groups.length > 0) write(groups);
  if (message === "close") close();
});

/** Our own parent wrote it, and it writes nothing else. */
const received = () => receiveMessageOnPort(port)?.message as ToWriter | undefined;

function write(groups: readonly Group[]): void {
  clearTimeout(idle);
  send({ results: stored(groups) });
  const pages = current.logPages();
  if (pages > maxLogPages) fold();
  else if (pages > idleLogPages) idle = setTimeout(fold, idleMs).unref();
}

function stored(groups: readonly Group[]): readonly GroupResult[] {
  try {
    return current.write(groups);
  } catch (error) {
    // The disk failed under this handle. Nothing of the batch counts as stored; the next one gets a fresh handle.
    reopen();
    const reason = error instanceof Error ? error.message : String(error);
    return groups.map(() => ({ error: reason }));
  }
}

function fold(): void {
  try {
    current.checkpoint();
  } catch {
    // Everything is in the log still, and it will be tried again; but this handle is not to be trusted.
    reopen();
  }
}

function reopen(): void {
  database.close();
  open();
}

function open(): void {
  database = openDatabase(settings.databaseFile);
  makeDurable(database);
  migrate(database);
  current = writer({ database, resident: resident?.openResident(database, settings.residentOptions) ?? null });
}

function close(): void {
  clearTimeout(idle);
  current.checkpoint();
  database.close();
  releaseLock?.();
  port.close();
}
