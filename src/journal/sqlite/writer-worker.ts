import { existsSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { ResidentModule } from "../resident.ts";
import { type BulkJob, type BulkNews, bulkTurns } from "./bulk-turns.ts";
import type { Command, Mark, Result } from "./command.ts";
import { type LogState, openStoreGuard, StoreDamaged, type StoreGuard } from "./damage/store-guard.ts";
import { makeDurable } from "./durability.ts";
import { dense, type PackedCommand, type PackedResult, packResult, unpackCommand } from "./hand-over.ts";
import { holdInstanceLock } from "./instance-lock.ts";
import { logFolder } from "./log-folder.ts";
import { migrate } from "./migrations.ts";
import { overwriteFailed } from "./overwrite-failed.ts";
import type { Stagings } from "./stagings.ts";
import { type Refusal, refusalBy, type StagedWritten, type Sync, type Writer, type Written, writer } from "./writer.ts";
import { beginNotes, damagedNotes, inheritedMarks } from "./written-notes.ts";

/** More at once would only make the first of them wait longer for its answer. */
const maxCommands = 1000;

/**
 * When the log is folded into the database file: at the next pause, so that no event waits for it; without a
 * pause, before the log is so long (64 MB) that a start after a crash would take noticeably longer to read it.
 */
const maxLogPages = 16_000;
const idleLogPages = 1_000;
/** So early during a long push, and in a thread of its own: the push waits for it, and the floor does not. */
const bulkLogPages = 4_000;
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
  | { readonly bulk: BulkJob }
  | "close";
export type FromWriter =
  /** With what was noticed about the files, and mended. */
  | { readonly ready: readonly string[]; readonly left: StagingsLeft }
  | { readonly bulk: BulkNews }
  | { readonly failed: string; readonly damages?: readonly string[] }
  | { readonly results: readonly PackedResult[]; readonly tookMs: number; readonly refusal: Refusal | null }
  /** What a try without a command came to. */
  | { readonly probed: Refusal | null };

/** The next free number of a call that is stored in chunks, and those that an earlier process has not brought to their end. */
export interface StagingsLeft {
  readonly nextCall: number;
  readonly unfinished: readonly number[];
}

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
/** A commit of the floor always goes first; but a floor that never pauses must not keep a push waiting for good. */
const longestWaitMs = 50;
let lastTurnAt = 0;
let isTurnAsked = false;
let lastFloorAt = 0;
/** While the floor is at work, pushes leave the processor to it between two turns. */
const floorMs = 200;
const restMs = 1;
/** Whether the log holds what was not synced yet, and how many pages it had behind the last such commit. */
let isSyncDue = false;
let unsyncedUpTo = 0;
/** Such a log met a disk that failed: what it holds may be lost there, so nothing may be written behind it. */
let isFoldDue = false;
let isClosed = false;
/** How long the log was when a fold could not take over all of it. */
let leftAt = 0;
const folder = logFolder(settings.databaseFile, {
  log: () => (current === null ? null : logState()),
  prepare: async (state) => guard?.beforeFoldBeside(state),
  holdBack,
  folded: noteFolded,
});
const bulk = bulkTurns({
  work: staged,
  send: sendBulk,
  now: () => performance.now(),
  after: (ms, then) => {
    setTimeout(() => {
      then();
      askForTurn();
    }, ms).unref();
  },
});

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
  noteSynced();
  const { counting, left, next } = current?.stagingsLeft() ?? { counting: [], left: [], next: 1 };
  for (const call of left) bulk.add({ call, isDropped: true });
  const notices = notesDamage === null ? guard.notices : [...guard.notices, notesDamage];
  send({ ready: notices, left: { nextCall: next, unfinished: counting } });
  askForTurn();
} catch (error) {
  // Before it is told: whoever hears of it may want to have the folder for itself.
  releaseLock?.();
  const damages = error instanceof StoreDamaged ? { damages: error.damages } : {};
  send({ failed: describe(error), ...damages });
  process.exit();
}

port.on("message", (message: ToWriter) => handle(message));

function handle(first: ToWriter): void {
  const commands: Command[] = [];
  let message: ToWriter | undefined = first;
  // What came while the last batch was being written is the next batch.
  while (message !== undefined && message !== "close" && ("commands" in message || "bulk" in message)) {
    if ("bulk" in message) bulk.add(message.bulk);
    else for (const packed of message.commands) commands.push(unpackCommand(packed));
    message = commands.length < maxCommands ? received() : undefined;
  }
  if (commands.length > 0) write(commands);
  if (message === "close") close();
  else if (message !== undefined && "changed" in message) change(message.changed);
  askForTurn();
}

function askForTurn(): void {
  if (isTurnAsked || isClosed || folder.isFolding() || !bulk.isWaiting()) return;
  isTurnAsked = true;
  if (performance.now() - lastFloorAt < floorMs) setTimeout(takeTurn, restMs);
  else setImmediate(takeTurn);
}

function takeTurn(): void {
  isTurnAsked = false;
  if (isClosed) return;
  const waiting = received();
  if (waiting !== undefined) handle(waiting);
  const isDue = waiting === undefined || performance.now() - lastTurnAt > longestWaitMs;
  if (isDue && bulk.isWaiting() && !isClosed) {
    bulk.turn();
    lastTurnAt = performance.now();
    if (isFoldWorthwhile()) folder.fold(afterFold);
    else if (!bulk.isWaiting()) foldBetween();
  }
  askForTurn();
}

/** What could not be taken over, since somebody reads or the floor writes on, is not tried again at once. */
function isFoldWorthwhile(): boolean {
  const { log, checkpointed } = logState();
  if (log < leftAt) leftAt = 0;
  return log - Math.max(checkpointed, leftAt) > bulkLogPages;
}

function afterFold(): void {
  if (isClosed) {
    end();
    return;
  }
  const { log, checkpointed } = logState();
  leftAt = log === checkpointed ? 0 : log;
  // It is begun anew only when all of it is taken over at one moment; a floor that never pauses would have it grow.
  if (leftAt > maxLogPages) fold();
  askForTurn();
}

/** While somebody reads what was committed until now, a fold goes no further: the sums of what comes then are not known. */
function holdBack(): () => void {
  keptOpen?.exec("BEGIN");
  keptOpen?.statement("SELECT count(*) FROM sqlite_schema").get();
  return () => keptOpen?.exec("COMMIT");
}

/** Our own parent wrote it, and it writes nothing else. */
const received = () => receiveMessageOnPort(port)?.message as ToWriter | undefined;

function write(commands: readonly Command[]): void {
  lastFloorAt = performance.now();
  const started = performance.now();
  const { results, refusal } = stored(commands);
  noteSynced();
  const tookMs = performance.now() - started;
  const packed = dense(commands, (command, index) => packResult(command, resultAt(results, index)));
  send({ results: packed, tookMs, refusal });
  probeLater(refusal);
  foldBetween();
}

function foldBetween(): void {
  clearTimeout(idle);
  if (folder.isFolding()) return;
  const { log, checkpointed } = logState();
  const pages = log - checkpointed;
  if (pages > maxLogPages) fold();
  else if (pages > idleLogPages) idle = setTimeout(fold, idleMs).unref();
}

function staged<Done>(work: (staging: Stagings) => Done, sync: Sync): StagedWritten<Done> {
  try {
    current ??= open();
    const written = current.staged(work, sync);
    if (written.isBroken) breakOff();
    if ("error" in written) tellOf(written.refusal);
    else if (sync === "now") noteSynced();
    else noteUnsynced();
    return written;
  } catch (error) {
    breakOff();
    const refusal = refusalBy(error);
    tellOf(refusal);
    return { error: describe(error), isBroken: true, isOfEntry: false, refusal };
  }
}

function tellOf(refusal: Refusal | null): void {
  if (refusal === null) return;
  send({ probed: refusal });
  probeLater(refusal);
}

function sendBulk(news: BulkNews): void {
  // The ids of a million entries are handed over, not copied.
  port.postMessage({ bulk: news } satisfies FromWriter, "ids" in news ? news.ids.map(({ buffer }) => buffer) : []);
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
  isFoldDue ||= isSyncDue;
  drop();
  overwriteFailed(settings.databaseFile);
}

function logState(): LogState {
  return current?.log() ?? { log: 0, checkpointed: 0 };
}

/** Behind a commit that is synced: notes outside the database how far it has come. */
function noteSynced(): void {
  if (current === null) return;
  const state = current.log();
  // It has changed nothing and so synced nothing: what is not on the disk must not be missed after a power cut.
  if (isSyncDue && state.log === unsyncedUpTo) return;
  isSyncDue = false;
  guard?.committed(state, current.lastSeq());
}

function noteUnsynced(): void {
  const state = logState();
  isSyncDue = true;
  unsyncedUpTo = state.log;
  guard?.sumEarly(state);
}

/** Behind a fold, done or not. */
function noteFolded(isLogSynced: boolean): void {
  guard?.folded();
  if (!isLogSynced) return;
  isSyncDue = false;
  noteSynced();
}

function fold(): void {
  if (current === null || folder.isFolding()) return;
  try {
    guard?.beforeFold(current.log());
    current.checkpoint();
    noteFolded(true);
  } catch {
    // Everything is in the log still, and it will be tried again; but this handle is not to be trusted.
    guard?.folded();
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
  const opened = writer({
    isBoot: isFirst,
    database,
    inherited,
    resident: resident?.openResident(database, settings.residentOptions) ?? null,
    emissionTarget: settings.emissionTarget,
    newEntryId: () => `evt_${newId(systemClock)}`,
    eraseIds: bulk.eraseIds,
  });
  if (isFoldDue) foldFailed(opened);
  return opened;
}

function foldFailed(opened: Writer): void {
  guard?.beforeFold(opened.log());
  const isDone = opened.checkpoint();
  guard?.folded();
  if (!isDone) throw new Error("the log could not be folded after the disk failed");
  isFoldDue = false;
  isSyncDue = false;
}

function close(): void {
  isClosed = true;
  // Otherwise behind the fold that is under way: the files are to be at rest.
  if (!folder.isFolding()) end();
}

function end(): void {
  folder.close();
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
