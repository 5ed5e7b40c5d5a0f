import { randomInt } from "node:crypto";
import { closeSync, existsSync, fsync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { eachPageNumber, saltsOf } from "../../../kit/sqlite/sqlite-log.ts";
import { badPagesText, inspectStore } from "./inspect-store.ts";
import { openMark } from "./journal-mark.ts";
import { logSums } from "./log-sums.ts";
import { checkedLastSeq, makeEmpty, openAlone, StoreDamaged } from "./open-alone.ts";
import { openPageCheck } from "./page-check.ts";
import { openSums, sumFile } from "./page-sums.ts";
import { openWitness, stampOf, type Witness } from "./witness.ts";

export interface LogState {
  /** Committed frames in the log, and how many of them are in the database file too. */
  readonly log: number;
  readonly checkpointed: number;
}

/** Stores, outside the database, what is needed to notice that a part of the database is missing. */
export interface StoreGuard {
  /** What was noticed at the start and repaired. */
  readonly notices: readonly string[];
  /** Call after each synced commit and before its answers. Unsynced commits must not be reported here. */
  readonly committed: (state: LogState, lastSeq: number) => void;
  /** Call after an unsynced commit: nothing is stored, but less is left to do before folding. */
  readonly sumEarly: (state: LogState) => void;
  /**
   * Call before folding the log: the log is synced, and the sums of its pages must be on the disk before the pages are.
   */
  readonly beforeFold: (state: LogState) => void;
  /** Does the same without blocking this thread. Until it settles, every commit must be synced. */
  readonly beforeFoldAsync: (state: LogState) => Promise<void>;
  /**
   * Call after a fold that left a part of the log: SQLite does not sync the folded pages then, so the next fold would
   * have to.
   */
  readonly syncFolded: () => Promise<void>;
  /** Call after folding, successful or not: the log may restart from here on. */
  readonly folded: () => void;
  /**
   * Slowly compares the pages skipped at the start with their sums. Until it settles, a page is compared at the latest
   * when it is written for the first time. Settles when it is done or closed.
   */
  readonly checkRest: (onDamage: (text: string) => void, everyMs?: number) => Promise<void>;
  /** Wraps the closing of the last handle, which folds the log and removes it. */
  readonly close: (closeDatabase: () => void) => void;
  /** Closes its files and writes nothing, as a kill does. Only after every handle of the database is closed. */
  readonly abandon: () => void;
}

const noLog = { log: 0, checkpointed: 0 };
/** The pause after a step of 512 KiB: at most 50 MiB per second, so that the disk has time for other work. */
const restEveryMs = 10;

export interface GuardOptions {
  /** How much of a large database is compared at the start; absent: all of it. */
  readonly mostBytes?: number;
  /** Whether all of it was compared just now, so that nothing has to be compared again. */
  readonly isChecked?: boolean;
  /** Whether PostgreSQL has all of it, so that it may be replaced or deleted. */
  readonly isCopy?: boolean;
}
const synced = promisify(fsync);

/**
 * Checks a folder and opens it; throws a StoreDamaged and changes nothing if something is missing. The caller must
 * hold the instance lock.
 */
export function openStoreGuard(databaseFile: string, options: GuardOptions = {}): StoreGuard {
  const { isCopy = false } = options;
  const { damages, notices, leastSeq, isLast, log, areSumsWhole, unchecked, ...inspected } = inspectStore(
    databaseFile,
    options.isChecked === true ? { mostBytes: 0, isCopy } : options,
  );
  if (damages.length > 0) throw new StoreDamaged(damages);
  const journalId = isCopy ? 0 : inspected.witness?.journalId || inspected.mark?.journalId || newJournalId();
  // Counted on from the higher number: a witness that is begun anew must not look older than the mark.
  let changes = Math.max(inspected.changes, inspected.mark?.changes ?? 0);
  const logFile = `${databaseFile}-wal`;
  if (!existsSync(databaseFile)) makeEmpty(databaseFile);
  const alone = openAlone(databaseFile);
  const sums = openSums(databaseFile);
  const ofLog = logSums(logFile, sums);
  let lastSeq: number;
  try {
    ofLog.sumAll(log?.frames ?? 0);
    sums.store();
    lastSeq = checkedLastSeq(alone, { isChecked: areSumsWhole, leastSeq, isLast });
    // SQLite removes the log when the handle is closed, so from here on the log may be missing.
    const before = { salts: log?.salts ?? ([0, 0] as const), frames: log?.frames ?? 0, isFolded: true, lastSeq };
    const first = openWitness(databaseFile, { ...before, stamp: null, badPages: 0, journalId }, { changes });
    changes = first.changes();
    first.close();
  } finally {
    alone.close();
  }
  // There were no sums, or some were damaged.
  if (!areSumsWhole) sumFile(databaseFile, sums);
  /** The stored state (`known`) and the state after the last commit (`latest`) differ: the log may hold more than is synced. */
  let known: Witness = {
    ...{ salts: [0, 0], frames: 0, isFolded: true, lastSeq },
    stamp: stampOf(databaseFile),
    badPages: 0,
    journalId,
  };
  const onSynced = (synced: number) => mark?.note({ changes: synced });
  const file = openWitness(databaseFile, known, { changes, onSynced });
  const mark = isCopy ? null : openMark(databaseFile, { journalId, lastSeq, changes: file.changes() });
  // Kept open until the last handle of the database is closed: closing this file releases the process's locks on it.
  const pages = openSync(databaseFile, "r+");
  let latest: Pick<Witness, "salts" | "frames" | "isFolded"> = known;
  /** The number of frames of this log for whose pages the previous content has been compared. */
  let compared = 0;
  let notifyDamage: (text: string) => void = () => {};
  const noteBad = (badPages: number) => {
    known = { ...known, stamp: null, badPages };
    file.write(known);
    file.sync();
    notifyDamage(badPagesText(basename(databaseFile), badPages));
  };
  const isAllChecked = unchecked === null || options.isChecked === true;
  const rest = isAllChecked ? null : openPageCheck({ databaseFile, unchecked, sums, onBad: noteBad });
  // The previous log is folded, so the next one is new.
  ofLog.restart();

  const noteLog = ({ log: frames, checkpointed }: LogState) => {
    // The log restarts only after a complete fold; then its salts are new.
    const isSameRound = frames > latest.frames && !latest.isFolded;
    const salts = isSameRound ? latest.salts : (saltsOf(logFile) ?? latest.salts);
    if (salts[0] !== latest.salts[0] || salts[1] !== latest.salts[1]) {
      ofLog.restart();
      compared = 0;
    }
    if (rest !== null && !rest.isOver() && frames > compared) {
      // Compared now, because a change to a damaged page would otherwise get a new sum that includes the damage.
      eachPageNumber(logFile, { from: compared, to: frames }, rest.changed);
      compared = frames;
    }
    latest = { salts, frames, isFolded: frames === checkpointed };
  };
  const note = (state: LogState) => {
    noteLog(state);
    known = { ...known, ...latest, lastSeq };
    file.write(known);
    mark?.note({ lastSeq });
  };
  return {
    notices,
    committed: (state, seq) => {
      // A writer that was just opened does not know the last number yet.
      lastSeq = Math.max(lastSeq, seq);
      note(state);
    },
    sumEarly: (state) => {
      noteLog(state);
      ofLog.sumSome(state.log);
    },
    beforeFold: (state) => {
      noteLog(state);
      ofLog.sumAll(state.log);
      // Without the sync, a power cut could remove pages from the log, and their sums would not match the database.
      syncLog(logFile);
      sums.store();
    },
    beforeFoldAsync: async (state) => {
      noteLog(state);
      await ofLog.sumInTurns(state.log);
      await syncLogAsync(logFile);
      await sums.storeAsync();
    },
    syncFolded: () => synced(pages),
    folded: () => {
      latest = { ...latest, isFolded: true };
      if (known.badPages === 0) known = { ...known, stamp: stampOf(databaseFile) };
    },
    checkRest: async (onDamage, everyMs = restEveryMs) => {
      notifyDamage = onDamage;
      if (known.badPages > 0) noteBad(known.badPages);
      await rest?.run(everyMs);
    },
    close: (closeDatabase) => {
      file.write({ ...known, isFolded: true, stamp: null });
      closeDatabase();
      closeSync(pages);
      rest?.close();
      if (existsSync(logFile)) file.write({ ...known, stamp: null });
      else {
        if (known.badPages === 0) known = { ...known, stamp: stampOf(databaseFile) };
        note(noLog);
      }
      file.sync();
      mark?.close({ lastSeq: known.lastSeq, changes: file.changes() });
      file.close();
      sums.close();
    },
    abandon: () => {
      mark?.abandon();
      closeSync(pages);
      rest?.close();
      file.close();
      sums.close();
    },
  };
}

/** Not 0, which means that there is none. */
const newJournalId = (): number => randomInt(1, 2 ** 32);

function syncLog(logFile: string): void {
  if (!existsSync(logFile)) return;
  const handle = openSync(logFile, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

async function syncLogAsync(logFile: string): Promise<void> {
  const handle = await open(logFile, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
