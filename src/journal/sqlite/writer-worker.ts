import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { ResidentModule } from "../resident.ts";
import { type BulkJob, type BulkNews, bulkTurns } from "./bulk-turns.ts";
import type { Command, Mark, Result } from "./command.ts";
import { makeDurable } from "./durability.ts";
import { dense, type PackedCommand, type PackedResult, packResult, unpackCommand } from "./hand-over.ts";
import { holdInstanceLock } from "./instance-lock.ts";
import { logFolder } from "./log-folder.ts";
import { migrate } from "./migrations.ts";
import { overwriteFailed } from "./overwrite-failed.ts";
import type { Stagings } from "./stagings.ts";
import { type StagedWritten, type Sync, type Writer, writer } from "./writer.ts";
import { beginNotes, inheritedMarks } from "./written-notes.ts";

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
  /** The next free number of a call that is stored in chunks, and those that an earlier process has not brought to their end. */
  | { readonly nextCall: number; readonly unfinished: readonly number[] }
  | { readonly bulk: BulkNews }
  | { readonly failed: string }
  | { readonly results: readonly PackedResult[]; readonly tookMs: number };

if (parentPort === null) throw new Error("the journal's writer runs only as a worker thread");
const port = parentPort;
let settings = workerData as WriterSettings;
const send = (message: FromWriter) => port.postMessage(message);

let database: Database;
/** Null while the database cannot be opened: then every batch is refused, and opening is tried again with the next. */
let current: Writer | null = null;
let releaseLock: (() => void) | undefined;
let idle: NodeJS.Timeout | undefined;
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
/** Whether the log holds what was not synced yet. */
let isSyncDue = false;
/** Such a log met a disk that failed: what it holds may be lost there, so nothing may be written behind it. */
let isFoldDue = false;
let isClosed = false;
const folder = logFolder(settings.databaseFile);
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
  inherited = inheritedMarks(settings.databaseFile);
  current = open();
  // On a full disk they wait for the first batch that can be stored.
  if (inherited.length > 0) stored([]);
  if (inherited.length === 0) beginNotes(settings.databaseFile);
  const { counting, left, next } = current.stagingsLeft();
  for (const call of left) bulk.add({ call, isDropped: true });
  send({ nextCall: next, unfinished: counting });
  askForTurn();
} catch (error) {
  send({ failed: describe(error) });
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
    if ((current?.logPages() ?? 0) > bulkLogPages) folder.fold(askForTurn);
    else if (!bulk.isWaiting()) foldBetween();
  }
  askForTurn();
}

/** Our own parent wrote it, and it writes nothing else. */
const received = () => receiveMessageOnPort(port)?.message as ToWriter | undefined;

function write(commands: readonly Command[]): void {
  lastFloorAt = performance.now();
  const started = performance.now();
  const results = stored(commands);
  const tookMs = performance.now() - started;
  send({ results: dense(commands, (command, index) => packResult(command, resultAt(results, index))), tookMs });
  foldBetween();
}

function foldBetween(): void {
  clearTimeout(idle);
  const pages = current?.logPages() ?? 0;
  if (folder.isFolding()) return;
  if (pages > maxLogPages) fold();
  else if (pages > idleLogPages) idle = setTimeout(fold, idleMs).unref();
}

function staged<Done>(work: (staging: Stagings) => Done, sync: Sync): StagedWritten<Done> {
  try {
    current ??= open();
    const written = current.staged(work, sync);
    if (written.isBroken) breakOff();
    else isSyncDue = sync === "later";
    return written;
  } catch (error) {
    breakOff();
    return { error: describe(error), isBroken: true, isOfEntry: false };
  }
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

function stored(commands: readonly Command[]): readonly Result[] {
  try {
    current ??= open();
    const { results, isBroken } = current.write(commands);
    if (isBroken) breakOff();
    else isSyncDue = false;
    return results;
  } catch (error) {
    breakOff();
    return commands.map(() => ({ error: describe(error) }));
  }
}

/** The disk failed under this handle: the next batch gets a fresh one. */
function breakOff(): void {
  isFoldDue ||= isSyncDue;
  drop();
  overwriteFailed(settings.databaseFile);
}

function fold(): void {
  try {
    current?.checkpoint();
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
  const opened = writer({
    isBoot: isFirst,
    database,
    inherited,
    resident: resident?.openResident(database, settings.residentOptions) ?? null,
    emissionTarget: settings.emissionTarget,
    newEntryId: () => `evt_${newId(systemClock)}`,
    eraseIds: bulk.eraseIds,
  });
  if (isFoldDue && !opened.checkpoint()) throw new Error("the log could not be folded after the disk failed");
  isFoldDue = false;
  return opened;
}

function close(): void {
  isClosed = true;
  folder.close();
  clearTimeout(idle);
  current?.checkpoint();
  if (database.isOpen()) database.close();
  releaseLock?.();
  port.close();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
