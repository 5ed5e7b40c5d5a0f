import type { Database } from "../../kit/sqlite.ts";

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
