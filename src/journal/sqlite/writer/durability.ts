import { rmSync } from "node:fs";
import { type Database, isDamage, openDatabase } from "../../../kit/sqlite/sqlite.ts";

/** Older ones can corrupt the database when a WAL file is reset at the wrong moment. */
const oldestSafeVersion = [3, 51, 3] as const;

/** Puts the connection into the only mode in which a commit survives a power cut. */
export function makeDurable(database: Database): void {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  // Checkpoints are ours to time (see writer.ts): inside a commit they would delay every waiting event.
  database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF;");
  // Not more than 8 MB: behind a commit in which a page was split, SQLite goes through all the pages that it keeps.
  database.exec("PRAGMA cache_size = -8000;");
  assertDurable(database);
}

/** Refuses to run on settings that would lose acknowledged events; a wrong build must not look like a right one. */
export function assertDurable(database: Database): void {
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
  if (synchronous !== 2) throw new Error(`SQLite's synchronous setting is ${synchronous}; 2 (FULL) is needed.`);
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
 * A batch whose sync failed is refused, but all of it is in the log: for this process it does not count, and the next
 * batch is written over it. Were the process killed before that, the next one would read the log, find the batch whole
 * and deliver what was refused. So something is written over it at once, without a sync, since the disk has just failed at
 * one; the next batch that is stored syncs it as well.
 */
export function overwriteFailed(databaseFile: string): void {
  try {
    const database = openDatabase(databaseFile);
    try {
      // Without folding the log, which must never be done without syncs.
      database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;");
      try {
        // One number is left out: a row that is given the value it has is not written.
        database.exec("UPDATE last_entry SET seq = seq + 1");
      } finally {
        // Whoever closes the last handle folds the log: with syncs, or a power cut would take what was stored long before.
        database.exec("PRAGMA synchronous = FULL;");
      }
    } finally {
      database.close();
    }
  } catch {
    // A disk that takes nothing any more: the next batch tries again, with all that belongs to it.
  }
}

/**
 * Holds an exclusive transaction on a tiny database beside the journal for as long as the process lives.
 * The operating system gives the lock back when the process dies, however it dies: no stale lock file.
 */
export function holdInstanceLock(lockFile: string): () => void {
  try {
    return lockedFile(lockFile);
  } catch (error) {
    if (!isDamage(error)) throw error;
    // It holds nothing. Should somebody have it locked all the same, the database itself is locked, too.
    rmSync(lockFile, { force: true });
    return lockedFile(lockFile);
  }
}

function lockedFile(lockFile: string): () => void {
  const lock = openDatabase(lockFile, { isPrivate: true });
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE;");
  } catch (error) {
    lock.close();
    if (isDamage(error)) throw error;
    throw new Error(
      `Another Crossdock is already using this data folder (${lockFile} is locked). Stop it first, or give this one its own folder with CROSSDOCK_DATA_DIR.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
