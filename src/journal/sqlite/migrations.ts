import { existsSync } from "node:fs";
import { integer, row } from "../../kit/sqlite/row.ts";
import { type Database, oneOf, openDatabase } from "../../kit/sqlite/sqlite.ts";

/** The number of a migration is its position. A released migration is never edited, only followed by another. */
const migrations: readonly string[] = [
  `CREATE TABLE entry (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     direction TEXT NOT NULL CHECK (direction IN ('out', 'in')),
     topic TEXT NOT NULL,
     -- [[lane, position, key], …]: what the entry needs to know of its lanes; entry_lane finds the entries of a lane.
     lanes TEXT NOT NULL,
     target TEXT,
     accept_language TEXT,
     received_at INTEGER NOT NULL,
     state TEXT NOT NULL
       CHECK (${oneOf("state", ["accepted", "inflight", "retry", "delivered", "rejected", "dead", "discarded"])}),
     reason TEXT,
     -- Whether the resident has booked it; a held entry is booked when it is settled.
     applied INTEGER NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     target_failures INTEGER NOT NULL DEFAULT 0,
     next_at INTEGER,
     lease_token TEXT,
     answer TEXT,
     answered_at INTEGER,
     delivered_at INTEGER,
     suspect_of INTEGER,
     replays INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   -- Apart from the entry: it is written once, and what happens to the entry then rewrites a row of a tenth of the size.
   CREATE TABLE entry_body (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, payload TEXT) STRICT;
   -- The last number given: one is never given twice, even after the newest entries were erased. A row of its own,
   -- written once per batch, where AUTOINCREMENT would write with every entry.
   CREATE TABLE last_entry (seq INTEGER NOT NULL) STRICT;
   INSERT INTO last_entry (seq) VALUES (0);
   -- Small however long the journal is: what still has to be done, and what waits for a person.
   CREATE INDEX entry_unfinished ON entry (state, seq)
     WHERE state <> 'delivered';
   -- The key is the one by which a repeat is recognised: the latest entry under it is found where its own is filed.
   CREATE TABLE entry_lane (
     lane TEXT NOT NULL,
     key TEXT NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (lane, key, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE lane (lane TEXT NOT NULL PRIMARY KEY, last_position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   -- Entries of the lane after seq wait for the dead one.
   CREATE TABLE parked_lane (
     lane TEXT NOT NULL,
     dead_seq INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (lane, dead_seq)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX parked_lane_by_dead ON parked_lane (dead_seq);
   CREATE TABLE attempt (
     seq INTEGER NOT NULL,
     n INTEGER NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER NOT NULL,
     outcome TEXT NOT NULL,
     status INTEGER,
     error TEXT,
     response TEXT,
     PRIMARY KEY (seq, n)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE audit (
     seq INTEGER NOT NULL,
     at INTEGER NOT NULL,
     operator TEXT NOT NULL,
     action TEXT NOT NULL,
     reason TEXT,
     before TEXT
   ) STRICT;
   CREATE INDEX audit_by_seq ON audit (seq);`,
  // A partial index: only waiting entries are in it, so it is short and other entries cost nothing.
  `ALTER TABLE entry ADD COLUMN supersedes TEXT;
   CREATE INDEX entry_superseded ON entry (supersedes, target)
     WHERE supersedes IS NOT NULL AND state IN ('accepted', 'retry');`,
  `-- Calls that take effect once, by the names they were made under; the numbers rise, so the oldest are the lowest.
   CREATE TABLE once (
     seq INTEGER PRIMARY KEY,
     key TEXT NOT NULL UNIQUE,
     digest TEXT NOT NULL,
     at INTEGER NOT NULL,
     note TEXT NOT NULL,
     ids TEXT NOT NULL
   ) STRICT;`,
  "ALTER TABLE entry ADD COLUMN sender TEXT;",
  // Up to which entry the last positions of the lanes are stored (see lane-positions.ts).
  `ALTER TABLE last_entry ADD COLUMN positions_up_to INTEGER NOT NULL DEFAULT 0;
   UPDATE last_entry SET positions_up_to = seq;`,
  // Newer states also replace refused states, which block nothing. Sent states are indexed to detect states that come
  // too late.
  `DROP INDEX entry_superseded;
   CREATE INDEX entry_superseded ON entry (supersedes, target)
     WHERE supersedes IS NOT NULL AND state IN ('accepted', 'retry', 'dead');
   CREATE INDEX entry_sent_state ON entry (supersedes, target)
     WHERE supersedes IS NOT NULL AND state IN ('inflight', 'delivered');
   DELETE FROM parked_lane WHERE dead_seq IN (SELECT seq FROM entry WHERE supersedes IS NOT NULL AND state = 'dead');`,
  `-- Calls that are too long for one commit (see stagings.ts). Those in this table count: all of their chunks become entries.
   CREATE TABLE IF NOT EXISTS staged_call (
     call INTEGER PRIMARY KEY,
     keys TEXT NOT NULL,
     digest TEXT NOT NULL,
     at INTEGER NOT NULL,
     note TEXT NOT NULL,
     moved INTEGER NOT NULL DEFAULT 0,
     unchanged INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   -- The number of the call, then that of the chunk: what belongs together lies together.
   CREATE TABLE IF NOT EXISTS staged_chunk (n INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
   -- Ids of calls with names, in the same order: one row for a million of them would be one long commit.
   CREATE TABLE IF NOT EXISTS once_ids (n INTEGER PRIMARY KEY, ids BLOB NOT NULL) STRICT;`,
  // Separate from the attempt, because exchanges are long, are deleted earlier, and are read only for a single entry
  // (see exchanges.ts).
  "CREATE TABLE IF NOT EXISTS attempt_exchange (at INTEGER PRIMARY KEY, exchanges TEXT NOT NULL) STRICT;",
  // Changes of a table without a primary key cannot be recorded, so they would be missing in a copy.
  `ALTER TABLE last_entry RENAME TO earlier_last_entry;
   CREATE TABLE last_entry (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     seq INTEGER NOT NULL,
     positions_up_to INTEGER NOT NULL
   ) STRICT;
   INSERT INTO last_entry (one, seq, positions_up_to) SELECT 1, seq, positions_up_to FROM earlier_last_entry;
   DROP TABLE earlier_last_entry;
   ALTER TABLE audit RENAME TO earlier_audit;
   DROP INDEX audit_by_seq;
   CREATE TABLE audit (
     row INTEGER PRIMARY KEY,
     seq INTEGER NOT NULL,
     at INTEGER NOT NULL,
     operator TEXT NOT NULL,
     action TEXT NOT NULL,
     reason TEXT,
     before TEXT
   ) STRICT;
   CREATE INDEX audit_by_seq ON audit (seq);
   INSERT INTO audit (row, seq, at, operator, action, reason, before)
     SELECT rowid, seq, at, operator, action, reason, before FROM earlier_audit ORDER BY rowid;
   DROP TABLE earlier_audit;`,
  // How far a delivery of several requests came (see progress.ts), and when an entry was leased, for attempts that a
  // kill interrupted.
  `CREATE TABLE entry_progress (
     seq INTEGER NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     PRIMARY KEY (seq, key)
   ) STRICT, WITHOUT ROWID;
   ALTER TABLE entry ADD COLUMN leased_at INTEGER;`,
  // The trace is stored so that a delivery after a restart still belongs to the trace of the call that created the
  // entry.
  "ALTER TABLE entry ADD COLUMN trace TEXT;",
];

/** Higher versions were written by a newer Crossdock. */
export const newestJournal = migrations.length;
/** No released version has written a lower one. A first start that was interrupted leaves one behind. */
const oldestJournal = 10;

const versionRow = row({ user_version: integer });
export const journalVersion = (database: Database): number =>
  database.query("PRAGMA user_version", versionRow).get()?.user_version ?? 0;

/** Whether a file has a journal with all its tables. Before that, no adapter has served anything from it. */
export function hasJournal(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = openDatabase(file, { readOnly: true });
  try {
    return journalVersion(database) >= oldestJournal;
  } finally {
    database.close();
  }
}

/**
 * Runs the migrations (for a copy, up to the version of its owner). Each one commits together with its number, so that
 * after a crash none is repeated or skipped.
 */
export function migrate(database: Database, upTo = migrations.length): void {
  const found = journalVersion(database);
  if (found > migrations.length) {
    throw new Error(
      `The data folder was written by a newer Crossdock (journal version ${found}, this one knows ${migrations.length}). Start the newer version, or restore a backup made before the upgrade.`,
    );
  }
  for (const [index, sql] of migrations.slice(0, upTo).entries()) {
    if (index < found) continue;
    database.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
