import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LogState, StoreGuard } from "../damage/store-guard.ts";
import type { Writer } from "../writer/writer.ts";
import { logFolder, mostLeft } from "./log-folder.ts";

/**
 * When the log is folded into the database file, always in a thread of its own: at the next pause, or where there is
 * none, at so many pages. With more of them, an event whose commit is synced meanwhile waits noticeably longer.
 */
const idleLogPages = 1_000;
const idleMs = 100;
const longLogPages = 2_000;
/** A busy floor fills the log so fast that it would be folded all the time: then more at once, as a page is written once. */
const busyLogPages = 8_000;
const betweenFoldsMs = 1_000;
/** With more in the log (64 MB) the writer takes over what is left however much it is. */
const maxLogPages = 16_000;

export interface LogCareNeeds {
  readonly databaseFile: string;
  readonly guard: StoreGuard;
  /** A handle for reading that nobody else uses. */
  readonly reading: Database;
  /** Null while the database cannot be opened. */
  readonly current: () => Writer | null;
  /** Lets go of the current writer: its handle is not to be trusted any more. */
  readonly drop: () => void;
  /** Behind each fold beside the writer: pushes may go on. */
  readonly whenFolded: () => void;
  readonly nowMs: () => number;
}

/** Looks after the log: what of it is on the disk and may be told to the guard, and when it is folded. */
export interface LogCare {
  /** Behind a commit that is synced, in front of its answers. */
  readonly noteSynced: () => void;
  /** Behind one that is not. */
  readonly noteUnsynced: () => void;
  /** The disk failed: what is not synced may be lost there. */
  readonly noteFailure: () => void;
  /** For a writer that was just opened: nothing may be written behind what may be lost. */
  readonly foldWhatMayBeLost: (opened: Writer) => void;
  /** At the next pause, or now where the log is long; during a push, which waits for it, also soon after the last time. */
  readonly foldBeside: (during: "floor" | "push") => void;
  /** Until that is over every commit has to be synced. */
  readonly isFolding: () => boolean;
  /** Not while it is folding. */
  readonly close: () => void;
}

export function logCare(needs: LogCareNeeds): LogCare {
  const { databaseFile, guard, reading, current, drop, whenFolded, nowMs } = needs;
  let idle: NodeJS.Timeout | undefined;
  /** Whether the log holds what was not synced yet, and how many pages it had behind the last such commit. */
  let isSyncDue = false;
  let unsyncedUpTo = 0;
  /** Such a log met a disk that failed. */
  let isFoldDue = false;
  /** How long the log was when a fold could not take over all of it. */
  let leftAt = 0;
  let foldedAtMs = Number.NEGATIVE_INFINITY;

  const state = (): LogState => current()?.log() ?? { log: 0, checkpointed: 0 };

  const noteSynced = () => {
    const writer = current();
    if (writer === null) return;
    const log = writer.log();
    // It has changed nothing and so synced nothing: what is not on the disk must not be missed after a power cut.
    if (isSyncDue && log.log === unsyncedUpTo) return;
    isSyncDue = false;
    guard.committed(log, writer.lastSeq());
  };

  /** The system tells of a failed sync once: a sync that is tried again, with another handle, would seem to work. */
  const noteFailure = () => {
    isFoldDue ||= isSyncDue;
  };

  /** Behind a fold, done or not. */
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

  /** While somebody reads what was committed until now, a fold goes no further: the sums of what comes then are not known. */
  const holdBack = () => {
    reading.exec("BEGIN");
    reading.statement("SELECT count(*) FROM sqlite_schema").get();
    return () => reading.exec("COMMIT");
  };

  const folder = logFolder(databaseFile, {
    log: () => (current() === null ? null : state()),
    prepare: guard.beforeFoldBeside,
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
      // Everything is in the log still, and it will be tried again; but this handle is not to be trusted.
      noteFolded(false);
    }
  };

  const beginFold = () =>
    folder.fold(() => {
      const { log, checkpointed } = state();
      const left = log - checkpointed;
      // The log is begun anew only when all of it is taken over at one moment; a floor that never pauses would have it grow.
      if (left > 0 && (left <= mostLeft || log > maxLogPages)) fold();
      const after = state();
      leftAt = after.log === after.checkpointed ? 0 : after.log;
      foldedAtMs = nowMs();
      whenFolded();
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
    foldBeside: (during) => {
      clearTimeout(idle);
      if (folder.isFolding()) return;
      const { log, checkpointed } = state();
      if (log < leftAt) leftAt = 0;
      // What could not be taken over, since somebody reads or the floor writes on, is not tried again at once.
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
