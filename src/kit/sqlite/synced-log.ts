import { stat } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { syncFolder } from "../files/sync-folder.ts";
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
/** The last pages of a log that became this long because changes never paused are folded on the main thread. */
const mostPagesWithoutPause = 8192;
/** What is written during one pass is left for the next. */
const mostPasses = 5;

/** The folds under way, by the path of their database. A thread may still fold when the database is already closed. */
const folds = new Map<string, Promise<void>>();

/** Await this after the databases of the folder are closed: their files may be opened again or replaced then. */
export async function foldsEnded(folder: string): Promise<void> {
  const inFolder = resolve(folder);
  await Promise.all([...folds].map(([file, ended]) => (resolve(dirname(file)) === inFolder ? ended : null)));
}

/**
 * Keeps the syncs of a database off the main thread: on a slow disk each would hold up every request. A commit only
 * writes to the log; whoever must be sure awaits `synced`. After a power cut, the database is as it was after some
 * commit, at the earliest the last synced one.
 *
 * SQLite must not overwrite the log from its beginning without a sync, or a power cut could leave old pages behind a
 * new beginning. So SQLite itself never folds the log. A thread does it, with syncs, and then the log is cut.
 */
export function syncLogOf(file: string, database: Database, syncFile = syncOne): SyncedLog {
  const syncNever = "PRAGMA synchronous = OFF";
  /** Syncs when the log is folded or started again, but not in other commits. */
  const syncRarely = "PRAGMA synchronous = NORMAL";
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${syncNever}`);
  const logFile = `${file}-wal`;
  const logState = database.query("PRAGMA wal_checkpoint(NOOP)", logStateRow);
  const foldHere = database.query("PRAGMA wal_checkpoint(PASSIVE)", logStateRow);
  const foldAndCut = database.query("PRAGMA wal_checkpoint(TRUNCATE)", logStateRow);
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isFolderSynced = false;
  let isMeasuring = false;
  /** Whether a sync has failed. The system reports it once, and calls the lost pages written from then on. */
  let hasFailed = false;
  /** The length above which the log is folded. */
  let longest = mostLogBytes;

  const isUsable = () => database.isOpen() && !database.isInTransaction();
  /** Returns false if somebody reads the log. */
  const cut = (): boolean => {
    // The main thread waits for nobody.
    database.exec("PRAGMA busy_timeout = 0");
    try {
      return foldAndCut.get()?.busy === 0;
    } finally {
      database.exec("PRAGMA busy_timeout = 5000");
    }
  };

  const sync = async (): Promise<void> => {
    if (hasFailed) return repair();
    try {
      if (!(await syncFile(logFile))) return;
      if (!isFolderSynced) await syncFolder(dirname(file));
    } catch (error) {
      hasFailed = true;
      throw error;
    }
    isFolderSynced = true;
    keepShort();
  };
  /** Writes everything into the database file instead, and begins a new log. It holds up the main thread, for once. */
  const repair = (): void => {
    if (!isUsable()) throw new Error("an earlier change could not be synced");
    database.exec("PRAGMA synchronous = FULL");
    if (!cut()) throw new Error("an earlier change could not be synced, and somebody reads the file");
    database.exec(syncNever);
    hasFailed = false;
    longest = mostLogBytes;
  };

  const keepShort = (): void => {
    if (isMeasuring) return;
    isMeasuring = true;
    stat(logFile, (error, found) => {
      isMeasuring = false;
      if (error !== null || found.size <= longest || folds.has(file)) return;
      // Somebody may read the log for long, or the disk may be full: it is not tried again for each change.
      longest = found.size + mostLogBytes;
      const ended = fold().catch(() => {
        // Everything is still in the log.
      });
      folds.set(
        file,
        ended.finally(() => folds.delete(file)),
      );
    });
  };
  const fold = async (): Promise<void> => {
    if (!isUsable() || hasFailed) return;
    // The log may be folded to its end at any moment now. The next commit then starts it again and must sync.
    database.exec(syncRarely);
    const thread = openFoldThread(file);
    try {
      for (let pass = 0; pass < mostPasses && isLeft(); pass++) {
        // It syncs the log as well, and the error may not be reported a second time.
        if ((await thread.fold()) === "failed") hasFailed = true;
      }
      if (isUsable() && !hasFailed) end();
    } finally {
      await thread.close();
    }
  };
  const isLeft = (): boolean => {
    const state = database.isOpen() ? logState.get() : undefined;
    return state !== undefined && state.log !== state.checkpointed;
  };
  const end = (): void => {
    if (isLeft() && (logState.get()?.log ?? 0) > mostPagesWithoutPause) foldHere.get();
    const hasLeft = isLeft();
    const isCut = !hasLeft && cut();
    if (isCut) longest = mostLogBytes;
    // A log with pages left is not started again. One that somebody reads may be, and is synced then.
    if (hasLeft || isCut) database.exec(syncNever);
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
async function syncOne(file: string): Promise<boolean> {
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

/** A thread that folds the log of one database. A fold that fails leaves everything in the log. */
function openFoldThread(file: string) {
  const worker = new Worker(moduleUrl("./fold-worker", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  let folded: ((outcome: "folded" | "failed") => void) | null = null;
  const exited = new Promise<"ended">((end) => {
    worker.on("exit", () => end("ended"));
  });
  worker.on("message", (message: FromFolder) => folded?.(message === "folded" ? "folded" : "failed"));
  worker.on("error", () => {
    // The thread ends then.
  });
  worker.unref();
  return {
    fold: async (): Promise<"folded" | "failed" | "ended"> => {
      const done = new Promise<"folded" | "failed">((end) => {
        folded = end;
      });
      worker.postMessage(file);
      return await Promise.race([done, exited]);
    },
    close: async (): Promise<void> => {
      await worker.terminate();
      await exited;
    },
  };
}
