import { type Database, primaryCode } from "../../../kit/sqlite/sqlite.ts";
import { logStateRow } from "../../../kit/sqlite/synced-log.ts";
import type { InlineProjection } from "../../inline-projection.ts";
import { type Replica, ReplicaRefused } from "../../journal-replica.ts";
import { type Stagings, stagings } from "../bulk/stagings.ts";
import type { LogState } from "../damage/store-guard.ts";
import { entryAppender } from "../tables/append-entry.ts";
import { deliveries } from "../tables/delivery-table.ts";
import { idempotencyRecords } from "../tables/idempotency-table.ts";
import { parking, personActions } from "../tables/parking.ts";
import { voidLeases } from "../tables/progress.ts";
import { pruner } from "../tables/prune.ts";
import { superseder } from "../tables/supersede.ts";
import type { Command, Mark, Result, Results } from "./writer-command.ts";
import { answerMarks } from "./written-notes.ts";

export interface WriterNeeds {
  /** Whether this is the first handle of the process: a new one after a disk failure finds leases of this process. */
  readonly isBoot: boolean;
  readonly database: Database;
  readonly projection: InlineProjection | null;
  /** Has every commit before this file; absent: this file is the only copy and syncs each commit. */
  readonly replica?: Replica | null;
  /** Marks that are stored before the first batch and then removed from this list. */
  readonly inherited: Mark[];
  /** Marks of refused batches. They are stored before the next batch and then removed from this list. */
  readonly owed?: Mark[];
  readonly emissionTarget: string | null;
  readonly newEntryId: () => string;
  /** Called when the ids of a call are not needed any more: they can be deleted between the commits of the floor. */
  readonly eraseIds?: (call: number) => void;
}

export interface Writer {
  readonly write: (commands: readonly Command[]) => Written;
  /**
   * Does the same, and lets the thread go on while the replica stores the commit. Until it settles, nothing else may be
   * done with the database. Null: the replica cannot do that, or there is none.
   */
  readonly writeLater: ((commands: readonly Command[]) => Promise<Written>) | null;
  /** One commit for calls that are stored in chunks. */
  readonly staged: <Done>(work: (staging: Stagings) => Done, sync: Sync) => StagedWritten<Done>;
  /** Moves committed pages from the log into the database file, so that the log stays small; true if none is left. */
  readonly checkpoint: () => boolean;
  /** How many pages were committed to the log, and how many of them are in the database file as well. */
  readonly log: () => LogState;
  /** The number of the last entry, as of the last batch. */
  readonly lastSeq: () => number;
  /** Tests whether the disk accepts a write by skipping one entry number. */
  readonly probe: () => Refusal | null;
}

export interface Written {
  /** One per command. A command with an error is not stored. */
  readonly results: readonly Result[];
  /** Whether the disk failed, so that this handle cannot be trusted any more. */
  readonly isBroken: boolean;
  /** The disk's error if the disk accepted nothing; null if the last command was stored or refused for its content. */
  readonly refusal: Refusal | null;
  /** Whether a replica has what this disk refused. Then nobody who reads this file knows of it. */
  readonly isAhead?: boolean;
}

export interface Refusal {
  readonly reason: string;
  /** Whether the file is damaged, so that retrying does not help. */
  readonly isDamage: boolean;
  /** Whether a replica may have what was refused here. */
  readonly isDoubtful?: boolean;
}

/**
 * Whether a commit is on the disk when it returns. `later`: only with the next `now`, for work that can be repeated
 * from stored data. Until then it must not be reported as stored.
 */
export type Sync = "now" | "later";

export type StagedWritten<Done> =
  | { readonly done: Done; readonly isBroken: false }
  | {
      readonly error: string;
      readonly isBroken: boolean;
      /** Whether the content is at fault, not the disk. */
      readonly isOfEntry: boolean;
      readonly refusal: Refusal | null;
      readonly isAhead?: boolean;
    };

/** The synchronous core of the journal. It runs in a separate thread, so that a slow disk never delays a request. */
export function writer(needs: WriterNeeds): Writer {
  const { database, inherited, owed = [], replica = null } = needs;
  if (needs.isBoot && replica === null) voidLeases(database);
  const rules = parking(database);
  const supersede = superseder(database);
  const { append, refuse, emitAll, ...entries } = entryAppender({ ...needs, parking: rules, supersede });
  const { start, settle, note } = deliveries({ ...needs, parking: rules, supersede, emitAll });
  const act = personActions(database, rules);
  const retention = pruner(database);
  const idempotency = idempotencyRecords(database, needs);
  const staging = stagings(database, { append: (entry) => append(entry, ""), refuse, idempotency });
  const marks = answerMarks(database);

  const run = (command: Command): Results[keyof Results] => {
    switch (command.name) {
      case "append":
        return command.entries.map((entry) => append(entry, command.leaseToken));
      case "appendIdempotent":
        return idempotency.run(command.idempotency, command.entries, (entry) => append(entry, ""));
      case "start":
        return start(command.seq, command.token, command.at ?? null);
      case "note":
        return note(command.lease, command.marks);
      case "settle":
        return settle(command.lease, command.verdict, command.attempt, command.answer);
      case "markAnswered":
        marks.store(command.marks);
        return null;
      case "act":
        // An operator's action may edit the content of the entry.
        entries.forgetRecent();
        return act(command.seq, command.action, command.operator, command.at);
      case "prune":
        entries.beforeDeletion();
        return retention.prune(command);
    }
  };

  const commit = <Done>(work: () => Done): Done => {
    const done = change(work);
    replica?.confirm();
    complete();
    return done;
  };
  /** Begins a transaction and does the work in it. */
  const change = <Done>(work: () => Done): Done => {
    replica?.begin();
    database.exec("BEGIN IMMEDIATE");
    entries.begin();
    rules.begin();
    retention.begin();
    marks.inherit(inherited);
    marks.store(owed);
    const done = work();
    entries.end();
    return done;
  };
  const complete = () => {
    database.exec("COMMIT");
    entries.keep();
    inherited.length = 0;
    owed.length = 0;
  };

  /** Rolls back. True if the other place may have what was undone here. */
  const undo = (): boolean => {
    rollBack(database);
    entries.rollBack();
    needs.projection?.forget?.();
    retention.forget();
    return replica?.abandon() === true;
  };

  const runAll = (commands: readonly Command[]): Result[] => commands.map((command) => ({ done: run(command) }));
  const afterError = (error: unknown, commands: readonly Command[]): Written => {
    const isAhead = undo();
    if (!isDiskFailure(error) && !isAhead && commands.length > 1) return writeEach(commands);
    const results = commands.map(() => ({ error: describe(error) }));
    return { results, isBroken: isDiskFailure(error) || isAhead, ...refusalAfter(error, isAhead) };
  };
  const write = (commands: readonly Command[]): Written => {
    try {
      return { results: commit(() => runAll(commands)), isBroken: false, refusal: null };
    } catch (error) {
      return afterError(error, commands);
    }
  };
  const writeLater = (confirm: () => Promise<void>) => async (commands: readonly Command[]) => {
    try {
      const results = change(() => runAll(commands));
      await confirm();
      complete();
      return { results, isBroken: false, refusal: null };
    } catch (error) {
      return afterError(error, commands);
    }
  };

  const staged: Writer["staged"] = (work, sync) => {
    try {
      if (sync === "later") database.exec("PRAGMA synchronous = NORMAL");
      return { done: commit(() => work(staging)), isBroken: false };
    } catch (error) {
      const isAhead = undo();
      const isOfEntry = !isOfPlace(error);
      const isBroken = isDiskFailure(error) || isAhead;
      return { error: describe(error), isBroken, isOfEntry, ...refusalAfter(error, isAhead) };
    } finally {
      if (sync === "later" && replica === null && database.isOpen()) database.exec("PRAGMA synchronous = FULL");
    }
  };

  /** Gives each command its own transaction, so that one bad record does not fail the others. */
  const writeEach = (commands: readonly Command[]): Written => {
    const results: Result[] = [];
    let refusal: Refusal | null = null;
    for (const command of commands) {
      const written = write([command]);
      refusal = written.refusal;
      results.push(...written.results);
      if (!written.isBroken) continue;
      // Commands before the failed one are stored and reported as such; those after it fail with it.
      const [failed = { error: "the disk failed" }] = written.results;
      return { ...written, results: commands.map((_, index) => results[index] ?? failed), refusal };
    }
    return { results, isBroken: false, refusal };
  };

  // Done only here, because with a replica it is a commit like any other.
  if (needs.isBoot && replica !== null) commit(() => voidLeases(database));
  const log = database.query("PRAGMA wal_checkpoint(NOOP)", logStateRow);
  const fold = database.query("PRAGMA wal_checkpoint(PASSIVE)", logStateRow);
  return {
    write,
    writeLater: replica?.confirmLater === undefined ? null : writeLater(replica.confirmLater),
    staged,
    checkpoint: () => {
      const done = fold.get();
      // If another handle is folding, SQLite reports busy and returns no numbers.
      return done !== undefined && done.busy === 0 && done.log === done.checkpointed;
    },
    log: () => log.get() ?? { log: 0, checkpointed: 0 },
    lastSeq: entries.lastSeq,
    probe: () => {
      try {
        // A commit like any other: marks that are owed are stored with it.
        commit(() => skipNumber(database));
        return null;
      } catch (error) {
        undo();
        return refusalBy(error) ?? { reason: describe(error), isDamage: false };
      }
    },
  };
}

const skipNumber = (database: Database) => database.exec("UPDATE last_entry SET seq = seq + 1");

function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back (disk full, I/O error): there is no transaction left to end.
  }
}

/**
 * Whether the error is an I/O error, corruption or not a database. Then the handle must not be trusted, nor the same
 * commit tried again.
 */
function isDiskFailure(error: unknown): boolean {
  return error instanceof ReplicaRefused || [10, 11, 26].includes(primaryCode(error));
}

/** The refusal of a transaction that was rolled back, perhaps after a replica had stored it. */
function refusalAfter(error: unknown, isAhead: boolean): Pick<Written, "refusal" | "isAhead"> {
  const refusal = refusalBy(error);
  // A replica that refuses says itself whether it may have it.
  if (!isAhead || error instanceof ReplicaRefused) return { refusal };
  const { reason, isDamage } = refusal ?? { reason: describe(error), isDamage: false };
  return { refusal: { reason, isDamage, isDoubtful: true }, isAhead: true };
}

/**
 * Returns the refusal for errors of the disk, not of the content: read-only, I/O error, corruption, full, cannot be
 * opened, not a database.
 */
export function refusalBy(error: unknown): Refusal | null {
  if (error instanceof ReplicaRefused) {
    return { reason: describe(error), isDamage: false, isDoubtful: error.isDoubtful };
  }
  const code = primaryCode(error);
  if (![8, 10, 11, 13, 14, 26].includes(code)) return null;
  return { reason: describe(error), isDamage: code === 11 || code === 26 };
}

/**
 * Also counts busy, locked, out of memory, read-only, full and cannot be opened. None of these is an error of the
 * content.
 */
const isOfPlace = (error: unknown): boolean =>
  isDiskFailure(error) || [5, 6, 7, 8, 13, 14].includes(primaryCode(error));

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
