import { existsSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { ResidentModule } from "../resident.ts";
import type { Command, Mark, Result } from "./command.ts";
import { type LogState, openStoreGuard, StoreDamaged, type StoreGuard } from "./damage/store-guard.ts";
import { makeDurable } from "./durability.ts";
import { dense, type PackedCommand, type PackedResult, packResult, unpackCommand } from "./hand-over.ts";
import { holdInstanceLock } from "./instance-lock.ts";
import { migrate } from "./migrations.ts";
import { overwriteFailed } from "./overwrite-failed.ts";
import { type Refusal, refusalBy, type Writer, type Written, writer } from "./writer.ts";
import { beginNotes, damagedNotes, inheritedMarks } from "./written-notes.ts";

/** More at once would only make the first of them wait longer for its answer. */
const maxCommands = 1000;

/**
 * When the log is folded into the database file: at the next pause, so that no event waits for it; without a
 * pause, before the log is so long (64 MB) that a start after a crash would take noticeably longer to read it.
 */
const maxLogPages = 16_000;
const idleLogPages = 1_000;
const idleMs = 100;
/** How often a disk that took nothing is tried again while nobody sends anything: readiness may keep all senders away. */
const probeEveryMs = 1_000;

export interface WriterSettings {
  readonly databaseFile: string;
  readonly residentModule: string | null;
  readonly residentOptions: unknown;
  readonly emissionTarget: string | null;
}
/** What may change while it runs. */
export type ChangedSettings = Pick<WriterSettings, "residentOptions" | "emissionTarget">;
export type ToWriter =
  | { readonly commands: readonly PackedCommand[] }
  | { readonly changed: ChangedSettings }
  | "close";
export type FromWriter =
  /** With what was noticed about the files, and mended. */
  | { readonly ready: readonly string[] }
  | { readonly failed: string; readonly damages?: readonly string[] }
  | { readonly results: readonly PackedResult[]; readonly tookMs: number; readonly refusal: Refusal | null }
  /** What a try without a command came to. */
  | { readonly probed: Refusal | null };

if (parentPort === null) throw new Error("the journal's writer runs only as a worker thread");
const port = parentPort;
let settings = workerData as WriterSettings;
const send = (message: FromWriter) => port.postMessage(message);

let database: Database;
/** Null while the database cannot be opened: then every batch is refused, and opening is tried again with the next. */
let current: Writer | null = null;
let releaseLock: (() => void) | undefined;
let guard: StoreGuard | undefined;
/**
 * Open longer than any other: whoever closes the last handle folds the log, and must not do so unguarded. One that
 * cannot write does not.
 */
let keptOpen: Database | undefined;
let idle: NodeJS.Timeout | undefined;
let probing: NodeJS.Timeout | undefined;
let resident: ResidentModule | null = null;
let hasBooted = false;
/** Which answers an earlier process had given and could not mark any more; none when they are stored. */
let inherited: Mark[] = [];

try {
  if (settings.residentModule !== null) resident = (await import(settings.residentModule)) as ResidentModule;
  releaseLock = holdInstanceLock(`${settings.databaseFile}.lock`);
  const isNew = !existsSync(settings.databaseFile);
  guard = openStoreGuard(settings.databaseFile);
  const notesDamage = isNew ? null : damagedNotes(settings.databaseFile);
  keptOpen = openDatabase(settings.databaseFile, { readOnly: true });
  keptOpen.statement("SELECT count(*) FROM sqlite_schema").get();
  inherited = inheritedMarks(settings.databaseFile);
  current = open();
  // On a full disk they wait for the first batch that can be stored.
  if (inherited.length > 0) stored([]);
  if (inherited.length === 0) beginNotes(settings.databaseFile);
  witness();
  send({ ready: notesDamage === null ? guard.notices : [...guard.notices, notesDamage] });
} catch (error) {
  // Before it is told: whoever hears of it may want to have the folder for itself.
  releaseLock?.();
  const damages = error instanceof StoreDamaged ? { damages: error.damages } : {};
  send({ failed: describe(error), ...damages });
  process.exit();
}

port.on("message", (first: ToWriter) => {
  const commands: Command[] = [];
  let message: ToWriter | undefined = first;
  // What came while the last batch was being written is the next batch.
  while (message !== undefined && message !== "close" && "commands" in message) {
    for (const packed of message.commands) commands.push(unpackCommand(packed));
    message = commands.length < maxCommands ? received() : undefined;
  }
  if (commands.length > 0) write(commands);
  if (message === "close") close();
  else if (message !== undefined && "changed" in message) change(message.changed);
});

/** Our own parent wrote it, and it writes nothing else. */
const received = () => receiveMessageOnPort(port)?.message as ToWriter | undefined;

function write(commands: readonly Command[]): void {
  clearTimeout(idle);
  const started = performance.now();
  const { results, refusal } = stored(commands);
  const { log, checkpointed } = witness();
  const tookMs = performance.now() - started;
  const packed = dense(commands, (command, index) => packResult(command, resultAt(results, index)));
  send({ results: packed, tookMs, refusal });
  probeLater(refusal);
  const pages = log - checkpointed;
  if (pages > maxLogPages) fold();
  else if (pages > idleLogPages) idle = setTimeout(fold, idleMs).unref();
}

const resultAt = (results: readonly Result[], index: number): Result =>
  results[index] ?? { error: "the writer gave no result" };

/** The next batch is written by a writer that was opened with the new settings. */
function change(changed: ChangedSettings): void {
  settings = { ...settings, ...changed };
  drop();
}

function stored(commands: readonly Command[]): Pick<Written, "results" | "refusal"> {
  try {
    current ??= open();
    const { results, isBroken, refusal } = current.write(commands);
    if (isBroken) breakOff();
    return { results, refusal };
  } catch (error) {
    breakOff();
    const refusal = refusalBy(error) ?? { reason: describe(error), isDamage: false };
    return { results: commands.map(() => ({ error: describe(error) })), refusal };
  }
}

/** A damaged file is not tried: what means nothing may well be stored in a page that is sound. */
function probeLater(refusal: Refusal | null): void {
  clearTimeout(probing);
  if (refusal !== null && !refusal.isDamage) probing = setTimeout(probe, probeEveryMs).unref();
}

function probe(): void {
  let refusal: Refusal | null;
  try {
    current ??= open();
    refusal = current.probe();
    if (refusal !== null) breakOff();
  } catch (error) {
    breakOff();
    refusal = refusalBy(error) ?? { reason: describe(error), isDamage: false };
  }
  send({ probed: refusal });
  probeLater(refusal);
}

/** The disk failed under this handle: the next batch gets a fresh one. */
function breakOff(): void {
  drop();
  overwriteFailed(settings.databaseFile);
}

/** Notes outside the database how far it has come. */
function witness(): LogState {
  const state = current?.log() ?? { log: 0, checkpointed: 0 };
  if (current !== null) guard?.committed(state, current.lastSeq());
  return state;
}

function fold(): void {
  if (current === null) return;
  try {
    guard?.beforeFold(current.log());
    current.checkpoint();
    witness();
  } catch {
    // Everything is in the log still, and it will be tried again; but this handle is not to be trusted.
    drop();
  }
}

function drop(): void {
  current = null;
  if (database.isOpen()) database.close();
}

function open(): Writer {
  database = openDatabase(settings.databaseFile);
  makeDurable(database);
  migrate(database);
  const isFirst = !hasBooted;
  hasBooted = true;
  return writer({
    isBoot: isFirst,
    database,
    inherited,
    resident: resident?.openResident(database, settings.residentOptions) ?? null,
    emissionTarget: settings.emissionTarget,
    newEntryId: () => `evt_${newId(systemClock)}`,
  });
}

function close(): void {
  clearTimeout(idle);
  clearTimeout(probing);
  fold();
  guard?.close(() => {
    keptOpen?.close();
    if (database.isOpen()) database.close();
  });
  releaseLock?.();
  port.close();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
