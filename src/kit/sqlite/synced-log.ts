import { stat } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { moduleUrl } from "../module-url.ts";
import { errorCode } from "../narrow.ts";
import type { FromFolder } from "./fold-worker.ts";
import { integer, row } from "./row.ts";
import type { Database } from "./sqlite.ts";

/** A database that is written on the main thread and synced outside it. */
export interface SyncedLog {
  /** Resolves when all changes made until now are on the disk. */
  readonly synced: () => Promise<void>;
  /** Folds the log if it is long. Call this after changes that nobody waits for; the others are synced anyway. */
  readonly keepShort: () => void;
  /** Call this just before the database is closed, because closing folds the log. */
  readonly close: () => void;
}

/** The state of a log in pages: how many it has, and how many of them are in the database file. */
export const logStateRow = row({ busy: integer, log: integer, checkpointed: integer });

/** A longer log is folded into the database file. */
const mostLogBytes = 8 * 1024 * 1024;
/** What is written during one pass is left for the next. */
const mostPasses = 5;

/**
 * Keeps the syncs of a database off the main thread: on a slow disk each would hold up every request. A commit only
 * writes to the log; whoever must be sure awaits `synced`. After a power cut, the database is as it was after some
 * commit, at the earliest the last synced one.
 *
 * SQLite must not overwrite the log from its beginning without a sync, or a power cut could leave old pages behind a
 * new beginning. So SQLite itself never folds the log. A thread does it, with syncs, and then the log is cut.
 */
export function syncLogOf(file: string, database: Database): SyncedLog {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
  const logFile = `${file}-wal`;
  const logState = database.query("PRAGMA wal_checkpoint(NOOP)", logStateRow);
  const cut = database.query("PRAGMA wal_checkpoint(TRUNCATE)", logStateRow);
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isFolderSynced = false;
  let isMeasuring = false;
  let isFolding = false;
  /** The length above which the log is folded. */
  let longest = mostLogBytes;

  const sync = async (): Promise<void> => {
    if (!(await syncFile(logFile))) return;
    if (!isFolderSynced) await syncFolder(dirname(file));
    isFolderSynced = true;
    keepShort();
  };
  const keepShort = (): void => {
    if (isMeasuring) return;
    isMeasuring = true;
    stat(logFile, (error, found) => {
      isMeasuring = false;
      if (error !== null || found.size <= longest || isFolding) return;
      // Somebody may read the log for long, or the disk may be full: it is not tried again for each change.
      longest = found.size + mostLogBytes;
      isFolding = true;
      fold()
        .catch(() => {
          // Everything is still in the log.
        })
        .finally(() => {
          isFolding = false;
        });
    });
  };

  const fold = async (): Promise<void> => {
    if (!database.isOpen() || database.isInTransaction()) return;
    // The log may be folded to its end at any moment now. The next commit then starts it again and must sync.
    database.exec("PRAGMA synchronous = NORMAL");
    for (let pass = 0; pass < mostPasses && isOpenAndLeft(); pass++) await foldInThread(file);
    if (!database.isOpen() || database.isInTransaction()) return;
    // A log with pages left is not started again.
    const isLeft = isOpenAndLeft();
    const isCut = !isLeft && wasCut();
    if (isCut) longest = mostLogBytes;
    if (isLeft || isCut) database.exec("PRAGMA synchronous = OFF");
  };
  const isOpenAndLeft = (): boolean => {
    const state = database.isOpen() ? logState.get() : undefined;
    return state !== undefined && state.log !== state.checkpointed;
  };
  /** False if somebody reads the log; it is then cut after the next fold. */
  const wasCut = (): boolean => {
    database.exec("PRAGMA busy_timeout = 0");
    try {
      return cut.get()?.busy === 0;
    } finally {
      database.exec("PRAGMA busy_timeout = 5000");
    }
  };

  return {
    synced: () => {
      next ??= last.then(() => {
        // Changes from now on need another sync.
        next = null;
        return sync();
      });
      last = next.catch(() => {
        // Those who wait for it get the error; the next sync is tried nevertheless.
      });
      return next;
    },
    keepShort,
    close: () => {
      if (database.isOpen()) database.exec("PRAGMA synchronous = FULL");
    },
  };
}

/** Returns false if there is no log: nothing was written since the database was opened, or it is closed. */
async function syncFile(file: string): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(file, "r+");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  try {
    await handle.datasync();
    return true;
  } finally {
    await handle.close();
  }
}

/** A new file survives a power cut only after its folder was synced. Windows cannot do that, and need not. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves also if the fold failed: everything is still in the log then. */
function foldInThread(file: string): Promise<void> {
  return new Promise((resolve) => {
    const worker = new Worker(moduleUrl("./fold-worker", import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    worker.on("message", (_message: FromFolder) => void worker.terminate());
    // The thread ends then, and the next fold starts a new one.
    worker.on("error", () => {});
    worker.on("exit", () => resolve());
    worker.unref();
    worker.postMessage(file);
  });
}
