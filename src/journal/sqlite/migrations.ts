import type { Database } from "../../kit/sqlite.ts";

/** Numbered by position; a released migration is never edited, only followed by another. */
const migrations: readonly string[] = [
  `CREATE TABLE entry (
     -- AUTOINCREMENT: a number is never given twice, even after the newest entries were erased.
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     direction TEXT NOT NULL CHECK (direction IN ('out', 'in')),
     topic TEXT NOT NULL,
     body TEXT NOT NULL,
     accept_language TEXT,
     received_at INTEGER NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('delivered', 'rejected'))
   ) STRICT;
   CREATE TABLE entry_lane (
     lane TEXT NOT NULL,
     seq INTEGER NOT NULL REFERENCES entry (seq),
     PRIMARY KEY (lane, seq)
   ) STRICT, WITHOUT ROWID;`,
];

/** Each migration commits with its number, so that a crash in between repeats nothing and skips nothing. */
export function migrate(database: Database): void {
  const { user_version: found } = database.statement("PRAGMA user_version").get<{ user_version: number }>() ?? {
    user_version: 0,
  };
  if (found > migrations.length) {
    throw new Error(
      `The data folder was written by a newer Crossdock (journal version ${found}, this one knows ${migrations.length}). Start the newer version, or restore a backup made before the upgrade.`,
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < found) continue;
    database.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
