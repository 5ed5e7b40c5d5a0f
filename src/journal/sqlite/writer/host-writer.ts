import { existsSync } from "node:fs";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { errorCode } from "../../../kit/narrow.ts";
import { type Database, openDatabase, primaryCode } from "../../../kit/sqlite/sqlite.ts";
import type { ProjectionModule } from "../../inline-projection.ts";
import type { ReplicaModule } from "../../journal-replica.ts";
import { type BulkNews, bulkTurns, longestWaitMs, restMs } from "../bulk/bulk-turns.ts";
import { type Stagings, stagingsLeft } from "../bulk/stagings.ts";
import { checkApart } from "../damage/check-apart.ts";
import { StoreDamaged } from "../damage/open-alone.ts";
import { openStoreGuard, type StoreGuard } from "../damage/store-guard.ts";
import { type LogMaintenance, logMaintenance } from "../log/log-maintenance.ts";
import { commitInProgress } from "./commit-in-progress.ts";
import { holdInstanceLock } from "./durability.ts";
import type { Refusal, StagedWritten, Sync } from "./writer.ts";
import { type Command, dense, packResult, type Result, unpackCommand } from "./writer-command.ts";
import { type Answered, describe, type WriterHandle, writerHandle } from "./writer-handle.ts";
import type { FromWriter, ToWriter, WriterSettings } from "./writer-messages.ts";
import { beginNotes, damagedNotes, inheritedMarks } from "./written-notes.ts";

/** Limit of commands in a batch: with more, the first of them would only wait longer for its answer. */
const maxCommands = 1000;

/** How often a failed disk is tried again while no events arrive: the readiness check may keep all senders away. */
const probeEveryMs = 1_000;

export interface HostNeeds {
  /** The other end belongs to the journal. */
  readonly port: MessagePort;
  readonly settings: WriterSettings;
  /**
   * Runs this journal's work now, or after the others of this thread had their turn: without it, a journal with
   * constant work would keep them waiting.
   */
  readonly inTurn: (work: () => void) => void;
}

/** Runs the writer of one journal in this thread, until the journal is closed. A thread may have several. */
export async function hostWriter({ port, settings, inTurn }: HostNeeds): Promise<void> {
  const send = (message: FromWriter) => port.postMessage(message);
  let writing: WriterHandle | undefined;
  let releaseLock: (() => void) | undefined;
  let guard: StoreGuard | undefined;
  let maintenance: LogMaintenance | undefined;
  /**
   * Kept open longer than any other handle: closing the last handle folds the log, which must not happen unguarded. A
   * read-only handle does not fold.
   */
  let keptOpen: Database | undefined;
  let probing: NodeJS.Timeout | undefined;
  let projection: ProjectionModule | null = null;
  let replica: ReplicaModule | null = null;
  let lastTurn = { endedAt: 0, tookMs: 0 };
  let isTurnRequested = false;
  /** Whether a turn of the pushes came while a commit waited for the replica. */
  let isTurnOwed = false;
  const commit = commitInProgress();
  let lastFloorAt = 0;
  let isClosed = false;
  let isEnded = false;
  /** Why this journal has ended without being closed. */
  let failure: string | null = null;
  /** Runs work that nothing waits for. If it fails, only this journal ends: the thread may have others. */
  const guarded = (work: () => void) => () => {
    try {
      if (failure === null) work();
    } catch (error) {
      fail(error);
    }
  };
  const bulk = bulkTurns({
    work: staged,
    send: sendBulk,
    now: () => performance.now(),
    after: (ms, then) => {
      const goOn = guarded(() => {
        then();
        requestTurn();
      });
      setTimeout(goOn, ms).unref();
    },
  });
  try {
    // The program's own code names the module, so it has this type.
    if (settings.projectionModule !== null) projection = (await import(settings.projectionModule)) as ProjectionModule;
    // Like the projection, this is our own module.
    if (settings.replica !== null) replica = (await import(settings.replica.module)) as ReplicaModule;
    releaseLock = holdInstanceLock(`${settings.databaseFile}.lock`);
    const isNew = !existsSync(settings.databaseFile);
    // Only with a replica the thread may have other journals, and the sums are missing after each takeover.
    const isChecked = replica !== null && (await checkApart(settings.databaseFile));
    const isCopy = replica !== null;
    guard = openStoreGuard(settings.databaseFile, { mostBytes: settings.checkedBytes, isChecked, isCopy });
    const notesDamage = isNew ? null : damagedNotes(settings.databaseFile);
    keptOpen = openDatabase(settings.databaseFile, { readOnly: true });
    keptOpen.statement("SELECT count(*) FROM sqlite_schema").get();
    maintenance = logMaintenance({
      databaseFile: settings.databaseFile,
      guard,
      reading: keptOpen,
      current: () => writing?.current() ?? null,
      drop: () => writing?.drop(),
      commit,
      whenFolded: () => (isClosed ? endOnce() : requestTurn()),
      onFailure: fail,
      nowMs: () => performance.now(),
    });
    const inherited = inheritedMarks(settings.databaseFile);
    const { eraseIds } = bulk;
    writing = writerHandle({ settings, projection, replica, inherited, maintenance, eraseIds });
    writing.open();
    // On a full disk the marks wait for the first batch that can be stored.
    if (inherited.length > 0) await writing.write([]);
    if (inherited.length === 0) beginNotes(settings.databaseFile);
    maintenance.noteSynced();
    const { counting, left, next } = stagingsLeft(keptOpen);
    for (const call of left) bulk.add({ call, isDropped: true });
    // The side files of a copy are missing whenever another process wrote to the copy before. The replica knows more than
    // they do, so their notices are dropped.
    const own = notesDamage === null ? guard.notices : [...guard.notices, notesDamage];
    const notices = replica === null ? own : [];
    send({ ready: notices, left: { nextCall: next, unfinished: counting } });
    guard.checkRest((damaged) => send({ damaged })).catch(fail);
    requestTurn();
  } catch (error) {
    // Before the failure is reported: the receiver may need exclusive access to the folder. The thread goes on for other
    // journals, so nothing else would close these files, and the folder could not be opened again.
    isEnded = true;
    closeAfterFailure();
    const damages = error instanceof StoreDamaged ? { damages: error.damages } : {};
    const [code, errcode] = [errorCode(error), primaryCode(error)];
    const codes = { ...(typeof code === "string" ? { code } : {}), ...(errcode === 0 ? {} : { errcode }) };
    send({ failed: describe(error), ...damages, codes });
    send({ closed: true });
    port.close();
    return;
  }

  /** Messages that wait for this journal's turn. */
  const arrived: ToWriter[] = [];
  port.on("message", (message: ToWriter) => {
    arrived.push(message);
    if (arrived.length === 1) inTurn(guarded(takeArrived));
  });

  function takeArrived(): void {
    // The end of a commit continues with what arrived meanwhile.
    if (commit.isInProgress()) return;
    const first = arrived.shift();
    if (first === undefined) return;
    handle(first);
    if (arrived.length > 0) inTurn(guarded(takeArrived));
  }

  function handle(first: ToWriter): void {
    const commands: Command[] = [];
    let message: ToWriter | undefined = first;
    // Everything that arrived during the last batch forms the next batch.
    while (message !== undefined && message !== "close" && ("commands" in message || "bulk" in message)) {
      if ("bulk" in message) bulk.add(message.bulk);
      else for (const packed of message.commands) commands.push(unpackCommand(packed));
      message = commands.length < maxCommands ? received() : undefined;
    }
    if (commands.length > 0) write(commands);
    if (message !== undefined && commit.isInProgress()) arrived.unshift(message);
    else if (message === "close") close();
    else if (typeof message === "object" && "changed" in message) opened().change(message.changed);
    requestTurn();
  }

  function requestTurn(): void {
    if (isTurnRequested || isClosed || maintenance?.isFolding() === true || !bulk.isWaiting()) return;
    isTurnRequested = true;
    const rest = restMs({ lastTurnMs: lastTurn.tookMs, sinceFloorMs: performance.now() - lastFloorAt });
    if (rest > 0) setTimeout(guarded(takeTurn), rest);
    else setImmediate(guarded(takeTurn));
  }

  function takeTurn(): void {
    isTurnRequested = false;
    if (isClosed) return;
    const waiting = commit.isInProgress() ? undefined : received();
    if (waiting !== undefined) handle(waiting);
    if (commit.isInProgress()) isTurnOwed = true;
    else turnOfPushes(waiting === undefined);
    requestTurn();
  }

  function turnOfPushes(isFloorIdle: boolean): void {
    const beganAt = performance.now();
    const isDue = isFloorIdle || beganAt - lastTurn.endedAt > longestWaitMs;
    // Not during a fold, which the last commit of the floor may have started.
    if (!isDue || !bulk.isWaiting() || isClosed || maintenance?.isFolding() === true) return;
    bulk.turn();
    const endedAt = performance.now();
    lastTurn = { endedAt, tookMs: endedAt - beganAt };
    maintenance?.foldInBackground("push");
  }

  /** Returns the next message. Only our own parent thread sends messages here. */
  const received = () => arrived.shift() ?? (receiveMessageOnPort(port)?.message as ToWriter | undefined);

  function write(commands: readonly Command[]): void {
    const started = performance.now();
    lastFloorAt = started;
    const written = opened().write(commands);
    if (!(written instanceof Promise)) {
      maintenance?.noteSynced();
      answer(commands, written, performance.now() - started);
      if (!isClosed) maintenance?.foldInBackground("floor");
      return;
    }
    commit.begin();
    const end = (done: Answered) => {
      const isAwaited = commit.end();
      answer(commands, done, performance.now() - started);
      afterCommit(isAwaited);
    };
    void written.then(end).catch(fail);
  }

  function answer(commands: readonly Command[], { results, refusal, isAhead }: Answered, tookMs: number): void {
    const packed = dense(commands, (command, index) => packResult(command, resultAt(results, index)));
    send({ results: packed, tookMs, refusal });
    if (isAhead === true) failAhead();
    else probeLater(refusal);
  }

  /** Continues with what arrived while the commit waited for the replica. */
  function afterCommit(isAwaited: boolean): void {
    if (isClosed) {
      endOnce();
      return;
    }
    // After the answers, which need not wait for it: the replica has all that the witness could miss.
    maintenance?.noteSynced();
    maintenance?.foldInBackground("floor");
    if (isTurnOwed) turnOfPushes(arrived.length === 0);
    isTurnOwed = false;
    if (arrived.length > 0) (isAwaited ? setImmediate : inTurn)(guarded(takeArrived));
    requestTurn();
  }

  function opened(): WriterHandle {
    if (writing === undefined) throw new Error("the journal is not open yet");
    return writing;
  }

  function staged<Done>(work: (staging: Stagings) => Done, sync: Sync): StagedWritten<Done> {
    const written = opened().staged(work, sync);
    if ("error" in written) {
      eventOf(written.refusal);
      // Not in the middle of the turn of the pushes.
      if (written.isAhead === true) setImmediate(guarded(failAhead));
    }
    return written;
  }

  function eventOf(refusal: Refusal | null): void {
    if (refusal === null) return;
    send({ probed: refusal });
    probeLater(refusal);
  }

  function sendBulk(news: BulkNews): void {
    // The ids of a million entries are transferred, not copied.
    port.postMessage({ bulk: news } satisfies FromWriter, "ids" in news ? news.ids.map(({ buffer }) => buffer) : []);
  }

  /**
   * Plans a test write after a failure. A damaged file is not tested, because a write may well succeed on an intact page.
   */
  function probeLater(refusal: Refusal | null): void {
    clearTimeout(probing);
    if (refusal !== null && !refusal.isDamage) probing = setTimeout(guarded(probe), probeEveryMs).unref();
  }

  function probe(): void {
    // The end of the commit tells more.
    if (commit.isInProgress()) return;
    const refusal = opened().probe();
    send({ probed: refusal });
    probeLater(refusal);
  }

  function close(): void {
    isClosed = true;
    endOnce();
  }

  function fail(error: unknown): void {
    failure ??= describe(error);
    isClosed = true;
    // Also if it has failed before: the end of a fold that everything waited for may have failed now.
    endOnce();
  }

  /** The replica has entries that this process does not know of. Opened again, the journal has them. */
  function failAhead(): void {
    fail(new Error("the disk refused what the replica has stored"));
  }

  function endOnce(): void {
    // A running fold must end first: nothing else may be writing to the files.
    if (isEnded || commit.isInProgress() || maintenance?.isFolding() === true) return;
    if (failure === null) end();
    isEnded = true;
    if (failure !== null) {
      closeAfterFailure();
      send({ failed: failure });
    }
    send({ closed: true });
    port.close();
  }

  function end(): void {
    clearTimeout(probing);
    maintenance?.close();
    const closing = guard;
    // If this fails, its files are not closed again: their numbers may belong to another journal by then.
    guard = undefined;
    closing?.close(() => {
      keptOpen?.close();
      writing?.close();
    });
    releaseLock?.();
  }

  /** Leaves the files as a kill would. The log is not folded, because the read-only handle is closed last. */
  function closeAfterFailure(): void {
    clearTimeout(probing);
    const closings = [writing?.drop, maintenance?.close, keptOpen?.close, guard?.abandon, releaseLock];
    for (const close of closings) {
      try {
        close?.();
      } catch {
        // The failure that is reported came first, and is likely the cause.
      }
    }
  }
}

const resultAt = (results: readonly Result[], index: number): Result =>
  results[index] ?? { error: "the writer returned no result" };
