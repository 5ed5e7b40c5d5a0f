import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LogState, StoreGuard } from "../damage/store-guard.ts";
import { type CommitInProgress, commitInProgress } from "../writer/commit-in-progress.ts";
import type { Writer } from "../writer/writer.ts";
import { logFolder, mostLeft } from "./log-folder.ts";

/**
 * The log is folded into the database file in a separate thread: at the next pause when it has `idleLogPages`, or at
 * `longLogPages` if there is no pause. With more pages, an event whose commit is synced meanwhile waits noticeably
 * longer.
 */
const idleLogPages = 1_000;
const idleMs = 100;
const longLogPages = 2_000;
/**
 * A busy floor would cause constant folding. Then more pages are folded at once, because each page is written only
 * once.
 */
const busyLogPages = 8_000;
const betweenFoldsMs = 1_000;
/** Above this (64 MB) the writer folds the rest itself, however much it is. */
const maxLogPages = 16_000;

export interface LogMaintenanceNeeds {
  readonly databaseFile: string;
  readonly guard: StoreGuard;
  /** A handle for reading that only this code uses. */
  readonly reading: Database;
  /** Null while the database cannot be opened. */
  readonly current: () => Writer | null;
  /** Drops the current writer, because its handle cannot be trusted any more. */
  readonly drop: () => void;
  /** A commit that waits for the replica. Absent: no commit ever does while this code runs. */
  readonly commit?: Pick<CommitInProgress, "isInProgress" | "over">;
  /** Called after each fold beside the writer: pushes may continue. */
  readonly whenFolded: () => void;
  /** Called when folding failed in a way that cannot be tried again: nothing else may be done with the files. */
  readonly onFailure: (error: unknown) => void;
  readonly nowMs: () => number;
}

/** Tracks which part of the log is on the disk and may be reported to the guard, and when to fold it. */
export interface LogMaintenance {
  /** Call after a synced commit, before its answers. */
  readonly noteSynced: () => void;
  /** Call after an unsynced commit. */
  readonly noteUnsynced: () => void;
  /** Called when the disk failed: unsynced data may be lost. */
  readonly noteFailure: () => void;
  /** Called for a writer that was just opened: nothing may be written after data that may be lost. */
  readonly foldWhatMayBeLost: (opened: Writer) => void;
  /**
   * Folds at the next pause, or now if the log is long. A push waits for the fold, so during a push the log is also
   * folded soon after the last fold.
   */
  readonly foldInBackground: (during: "floor" | "push") => void;
  /** Whether a fold is running. Until it ends, every commit must be synced. */
  readonly isFolding: () => boolean;
  /** Do not call this during a fold. */
  readonly close: () => void;
}

export function logMaintenance(needs: LogMaintenanceNeeds): LogMaintenance {
  const { databaseFile, guard, reading, current, drop, whenFolded, onFailure, nowMs } = needs;
  let idle: NodeJS.Timeout | undefined;
  /** Whether the log holds unsynced data, and how many pages it had after the last such commit. */
  let isSyncDue = false;
  let unsyncedUpTo = 0;
  /** Whether the disk failed while the log held unsynced data. */
  let isFoldDue = false;
  /** The length of the log when a fold could not move all of it. */
  let leftAt = 0;
  let foldedAtMs = Number.NEGATIVE_INFINITY;

  const state = (): LogState => current()?.log() ?? { log: 0, checkpointed: 0 };

  const noteSynced = () => {
    const writer = current();
    if (writer === null) return;
    const log = writer.log();
    // This commit changed nothing and so synced nothing: unsynced data must not be reported as stored.
    if (isSyncDue && log.log === unsyncedUpTo) return;
    isSyncDue = false;
    guard.committed(log, writer.lastSeq());
  };

  /**
   * Called when the disk failed. The system reports a failed sync only once: a second sync with another handle would
   * seem to succeed.
   */
  const noteFailure = () => {
    isFoldDue ||= isSyncDue;
  };

  /** Called after a fold, successful or not. */
  const noteFolded = (isLogSynced: boolean) => {
    guard.folded();
    if (isLogSynced) {
      isSyncDue = false;
      noteSynced();
    } else {
      noteFailure();
      drop();
    }
  };

  /**
   * Opens a read transaction, which stops the fold at the current commit: the sums of later pages are not known yet.
   */
  const holdBack = () => {
    reading.exec("BEGIN");
    reading.statement("SELECT count(*) FROM sqlite_schema").get();
    return () => reading.exec("COMMIT");
  };

  const folder = logFolder(databaseFile, {
    commit: needs.commit ?? commitInProgress(),
    log: () => (current() === null ? null : state()),
    prepare: guard.beforeFoldAsync,
    holdBack,
    sync: guard.syncFolded,
    folded: noteFolded,
  });

  const fold = () => {
    const writer = current();
    if (writer === null || folder.isFolding()) return;
    try {
      guard.beforeFold(writer.log());
      writer.checkpoint();
      noteFolded(true);
    } catch {
      // Everything is still in the log, and the fold is tried again; but this handle cannot be trusted.
      noteFolded(false);
    }
  };

  const endFold = () => {
    const { log, checkpointed } = state();
    const left = log - checkpointed;
    // The log restarts only when all of it is folded at one moment; without this, it would grow while the floor
    // never pauses.
    if (left > 0 && (left <= mostLeft || log > maxLogPages)) fold();
    const after = state();
    leftAt = after.log === after.checkpointed ? 0 : after.log;
    foldedAtMs = nowMs();
    whenFolded();
  };
  const beginFold = () =>
    folder.fold(() => {
      try {
        endFold();
      } catch (error) {
        onFailure(error);
      }
    });

  return {
    noteSynced,
    noteUnsynced: () => {
      const log = state();
      isSyncDue = true;
      unsyncedUpTo = log.log;
      guard.sumEarly(log);
    },
    noteFailure,
    foldWhatMayBeLost: (opened) => {
      if (!isFoldDue) return;
      guard.beforeFold(opened.log());
      const isDone = opened.checkpoint();
      guard.folded();
      if (!isDone) throw new Error("the log could not be folded after the disk failed");
      isFoldDue = false;
      isSyncDue = false;
    },
    foldInBackground: (during) => {
      clearTimeout(idle);
      if (folder.isFolding()) return;
      const { log, checkpointed } = state();
      if (log < leftAt) leftAt = 0;
      // If a reader or the floor prevented a complete fold, the next fold does not start at once.
      const isSoon = during === "floor" && nowMs() - foldedAtMs < betweenFoldsMs;
      const isLong = log - Math.max(checkpointed, leftAt) > (isSoon ? busyLogPages : longLogPages);
      if (isLong) beginFold();
      else if (log - checkpointed > idleLogPages) idle = setTimeout(beginFold, idleMs).unref();
    },
    isFolding: folder.isFolding,
    close: () => {
      clearTimeout(idle);
      folder.close();
      fold();
    },
  };
}
