import { rmSync } from "node:fs";
import { type Database, isDamage, openDatabase, primaryCode } from "../../../kit/sqlite/sqlite.ts";

/** Older versions of SQLite can corrupt the database when a WAL file is reset at the wrong moment. */
const oldestSafeVersion = [3, 51, 3] as const;

/**
 * Sets the only mode in which a commit survives a power cut. With a replica a commit need not survive it: the file must
 * only stay consistent, and gets what it lost from the replica.
 */
export function makeDurable(database: Database, { hasReplica = false } = {}): void {
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${hasReplica ? "NORMAL" : "FULL"};`);
  // Checkpoints are timed elsewhere (see log-maintenance.ts): inside a commit they would delay every waiting event.
  database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF;");
  // At most 8 MB: after a commit that split a page, SQLite scans its whole page cache.
  database.exec("PRAGMA cache_size = -8000;");
  assertDurable(database, hasReplica ? 1 : 2);
}

/** Refuses to run with settings that would lose acknowledged events. */
export function assertDurable(database: Database, least = 2): void {
  const version = setting(database, "SELECT sqlite_version() AS value");
  if (isOlder(String(version), oldestSafeVersion)) {
    throw new Error(`SQLite ${version} can lose data; Crossdock needs ${oldestSafeVersion.join(".")} or newer.`);
  }
  const mode = setting(database, "PRAGMA journal_mode");
  if (mode !== "wal") {
    throw new Error(
      `The data folder's file system does not allow write-ahead logging (journal mode is "${mode}"). Use a local disk.`,
    );
  }
  const synchronous = setting(database, "PRAGMA synchronous");
  if (synchronous !== least) throw new Error(`SQLite's synchronous setting is ${synchronous}; ${least} is needed.`);
}

function setting(database: Database, sql: string): unknown {
  return Object.values(database.statement(sql).get() ?? {})[0];
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, needed] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part !== needed) return part < needed;
  }
  return false;
}

/**
 * Overwrites a batch whose sync failed. The batch is refused, but all of it is in the log. This process ignores it and
 * writes the next batch over it. But if the process were killed before that, the next one would find the batch complete
 * and deliver refused events. The write is not synced, because the disk has just failed at a sync; the next stored
 * batch syncs it as well.
 */
export function overwriteFailed(databaseFile: string): void {
  try {
    const database = openDatabase(databaseFile);
    try {
      // The log is not folded here, because that must never be done without syncs.
      database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;");
      try {
        // Skips one number, because a row that is set to its own value is not written.
        database.exec("UPDATE last_entry SET seq = seq + 1");
      } finally {
        // Closing the last handle folds the log. That must sync, or a power cut would lose what was stored long before.
        database.exec("PRAGMA synchronous = FULL;");
      }
    } finally {
      database.close();
    }
  } catch {
    // The disk accepts no write any more; the next batch tries again.
  }
}

/**
 * Holds an exclusive transaction on a tiny database beside the journal for as long as the process lives. The operating
 * system releases the lock when the process dies, in whatever way, so no stale lock file remains.
 */
export function holdInstanceLock(lockFile: string): () => void {
  try {
    return lockedFile(lockFile);
  } catch (error) {
    if (!isDamage(error)) throw error;
    // The file holds no data, so it can be removed. If another process holds the lock, the database itself is locked,
    // too.
    rmSync(lockFile, { force: true });
    return lockedFile(lockFile);
  }
}

const inUseText = "Another Crossdock is already using this data folder";

/** Whether a folder could not be opened because somebody else holds its lock. The error may come from a thread. */
export const isFolderInUse = (error: unknown): boolean => error instanceof Error && error.message.includes(inUseText);

/** SQLite's code for a file that another connection has locked. */
const busy = 5;

function lockedFile(lockFile: string): () => void {
  const lock = openDatabase(lockFile, { isPrivate: true });
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE;");
  } catch (error) {
    lock.close();
    if (isDamage(error)) throw error;
    if (primaryCode(error) !== busy) {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`The lock file ${lockFile} cannot be used: ${text}`, { cause: error });
    }
    throw new Error(
      `${inUseText} (${lockFile} is locked). Stop it first, or give this one its own folder with CROSSDOCK_DATA_DIR.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
