import { type Database, oneOf } from "../../kit/sqlite.ts";
import { Fault } from "../../sdk/fault.ts";
import { eventTables } from "./events/schema.ts";

/**
 * Folded columns hold the text in NFC and lower case (fold.ts): SQLite's own NOCASE knows ASCII only, and
 * a scanner in caps lock must find "größe-1" too. Exact matches are picked out of the folded ones, so one
 * index per identifier is enough. What any number of old orders may share ends with `ended`, so that the open ones
 * are found among them; not with the state, or the start of an order would rewrite every index.
 */
const orderTables = [
  `CREATE TABLE work_order (
    id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE,
    number_folded TEXT NOT NULL,
    external_identifier TEXT,
    external_identifier_folded TEXT,
    alternative_start TEXT,
    alternative_start_folded TEXT,
    delivery_number TEXT,
    delivery_number_folded TEXT,
    storage TEXT,
    storage_folded TEXT,
    state TEXT NOT NULL CHECK (${oneOf("state", ["waiting", "started", "finished", "cancelled"])}),
    ended INTEGER NOT NULL DEFAULT 0 CHECK (ended = (state IN ('finished', 'cancelled'))),
    worked INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    json TEXT NOT NULL,
    original_json TEXT
  ) STRICT`,
  "CREATE INDEX work_order_by_number ON work_order (number_folded)",
  `CREATE INDEX work_order_by_external_identifier ON work_order (external_identifier_folded, ended)
    WHERE external_identifier_folded IS NOT NULL`,
  `CREATE INDEX work_order_by_alternative_start ON work_order (alternative_start_folded, ended)
    WHERE alternative_start_folded IS NOT NULL`,
  `CREATE INDEX work_order_by_delivery_number ON work_order (delivery_number_folded, ended)
    WHERE delivery_number_folded IS NOT NULL`,
  "CREATE INDEX work_order_waiting ON work_order (id, due_at) WHERE state = 'waiting'",
  "CREATE TABLE known_order (number TEXT PRIMARY KEY, folded TEXT NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE INDEX known_order_by_folded ON known_order (folded)",
];

const itemTables = [
  `CREATE TABLE item (
    number TEXT PRIMARY KEY,
    folded TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX item_by_folded ON item (folded)",
  "CREATE TABLE item_image (number TEXT PRIMARY KEY, mime TEXT NOT NULL, bytes BLOB NOT NULL) STRICT",
  // No location or no lot is the empty text: NULLs would each count as another key.
  `CREATE TABLE stock (
    item_number TEXT NOT NULL,
    location_name TEXT NOT NULL,
    lot_number TEXT NOT NULL,
    amount REAL NOT NULL,
    as_of INTEGER NOT NULL,
    PRIMARY KEY (item_number, location_name, lot_number)
  ) STRICT, WITHOUT ROWID`,
];

/**
 * What the external system was told of a change: 'open' not yet, 'due' with this very entry, 'sent', or 'none' where
 * there is nothing to tell because a newer change took its place.
 */
const receiptColumn = [
  `ALTER TABLE change ADD COLUMN receipt TEXT NOT NULL DEFAULT 'open'
    CHECK (${oneOf("receipt", ["open", "due", "sent", "none"])})`,
  // Settled before there were receipts: nobody waits for one.
  "UPDATE change SET receipt = 'none' WHERE watched = 0",
  "CREATE INDEX change_receipt_due ON change (id) WHERE receipt = 'due'",
  "CREATE INDEX change_receipt_open ON change (settled_at) WHERE receipt = 'open' AND state <> 'pending'",
];

/** Not a column of the order: the value may come before it, and the platform is never given it with the order. */
const indexableValueTable = [
  "CREATE TABLE indexable_value (number TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
];

/** When a change was last offered: one that no step follows is settled by time. */
const offeredColumn = [
  "ALTER TABLE change ADD COLUMN offered_at INTEGER",
  // When that was is not known of earlier ones; they wait once more from now on.
  "UPDATE change SET offered_at = unixepoch() * 1000 WHERE watched = 1 AND state = 'pending' AND offered > 0",
  `CREATE INDEX change_offered ON change (offered_at)
    WHERE watched = 1 AND state = 'pending' AND offered_at IS NOT NULL`,
];

/** The position is the number, from 1. One that has been released is never edited: databases remember it as done. */
const migrations: readonly (readonly string[])[] = [
  [...orderTables, ...itemTables, ...eventTables],
  receiptColumn,
  indexableValueTable,
  offeredColumn,
];

/** Brings the tables to this version, all steps or none. */
export function migrate(database: Database): void {
  // A savepoint and not BEGIN: it also works where the caller has a transaction open.
  database.exec("SAVEPOINT embedded_migration");
  try {
    database.exec("CREATE TABLE IF NOT EXISTS embedded_migration (number INTEGER PRIMARY KEY) STRICT");
    const row = database
      .statement("SELECT coalesce(max(number), 0) AS done FROM embedded_migration")
      .get<{ done: number }>();
    const done = row?.done ?? 0;
    if (done > migrations.length) {
      throw new Fault("broken", `the data was written by a newer version (tables ${done}, known ${migrations.length})`);
    }
    for (const [index, statements] of migrations.entries()) {
      if (index < done) continue;
      for (const sql of statements) database.exec(sql);
      database.statement("INSERT INTO embedded_migration (number) VALUES (?)").run(index + 1);
    }
    database.exec("RELEASE embedded_migration");
  } catch (error) {
    database.exec("ROLLBACK TO embedded_migration");
    database.exec("RELEASE embedded_migration");
    throw error;
  }
}
