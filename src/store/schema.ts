import { integer, nullable, row } from "../kit/sqlite/row.ts";
import { type Database, oneOf } from "../kit/sqlite/sqlite.ts";
import { Fault } from "../operation/fault.ts";
import { longTextsApart } from "./changes/served/long-texts-apart.ts";
import { eventTables } from "./events/schema.ts";
import { finishTables } from "./finished/finish-tables.ts";

/**
 * Folded columns hold the text in NFC and lower case (see fold in order-store.ts): SQLite's NOCASE knows only ASCII,
 * and a scanner in caps lock must also find "größe-1". Exact matches are picked from the folded ones, so one index per
 * identifier is enough. Identifiers that many old orders may share have `ended` in their index, so that open orders are
 * found quickly. The state is not in the index, because then starting an order would rewrite every index.
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
  // A missing location or lot is an empty text: each NULL would count as a different key.
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
 * Whether the external system was told the outcome of a change: 'open' not yet, 'due' with this entry, 'sent', or
 * 'none' when a newer change replaced it.
 */
const receiptColumn = [
  `ALTER TABLE change ADD COLUMN receipt TEXT NOT NULL DEFAULT 'open'
    CHECK (${oneOf("receipt", ["open", "due", "sent", "none"])})`,
  // Settled before receipts existed: nobody waits for one.
  "UPDATE change SET receipt = 'none' WHERE watched = 0",
  "CREATE INDEX change_receipt_due ON change (id) WHERE receipt = 'due'",
  "CREATE INDEX change_receipt_open ON change (settled_at) WHERE receipt = 'open' AND state <> 'pending'",
];

/** Not a column of the order: the value may arrive before the order, and is never served with the order. */
const indexableValueTable = [
  "CREATE TABLE indexable_value (number TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
];

/** When a change was last offered: without a later step, it is settled by time. */
const offeredColumn = [
  "ALTER TABLE change ADD COLUMN offered_at INTEGER",
  // For earlier offers the time is unknown; their waiting time starts now.
  "UPDATE change SET offered_at = unixepoch() * 1000 WHERE watched = 1 AND state = 'pending' AND offered > 0",
  `CREATE INDEX change_offered ON change (offered_at)
    WHERE watched = 1 AND state = 'pending' AND offered_at IS NOT NULL`,
];

/**
 * Stores facts instead of decisions. `wanted` holds what the external system wants now and which contents the platform
 * may have fetched. A change is one request of the external system with its receipt; changes that were already told are
 * not used for decisions. Factors are learned again: earlier ones may come from a content that was never fetched.
 */
const reconciliation = [
  `CREATE TABLE wanted (
    order_number TEXT PRIMARY KEY,
    wanted TEXT NOT NULL,
    served TEXT NOT NULL,
    -- 1 while something of it is being picked whose unit is in doubt.
    doubtful INTEGER NOT NULL DEFAULT 0,
    -- What the latest answer asked the platform to lower, as [[position, amount], …], and when; NULL where it asked for nothing.
    offered TEXT,
    offered_at INTEGER
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX wanted_offered ON wanted (offered_at) WHERE offered_at IS NOT NULL",
  "CREATE INDEX wanted_doubtful ON wanted (order_number) WHERE doubtful = 1",
  // Orders with a change in the earlier tables: their original content counts as served.
  `INSERT INTO wanted (order_number, wanted, served)
   SELECT number, json_object('pushed', json(json), 'gone', json('[]'), 'cancelledSeq', NULL, 'lines', (
      SELECT json_group_array(json_object('externalId', nullif(trim(value ->> 'requestExternalIdentifier'), ''),
        'itemNumber', value ->> 'itemNumber', 'lot', nullif(trim(value ->> 'lotNumber'), ''),
        'amount', value ->> 'requestedAmount', 'seq', 0))
      FROM json_each(work_order.json, '$.requests') WHERE coalesce(value ->> 'requestType', 1) <> 0)), json_array((
      SELECT json_group_array(json_object('externalId', nullif(trim(value ->> 'requestExternalIdentifier'), ''),
        'itemNumber', value ->> 'itemNumber', 'lot', nullif(trim(value ->> 'lotNumber'), ''),
        'unit', coalesce(value ->> 'unitOfMeasure', 0), 'amount', value ->> 'requestedAmount'))
      FROM json_each(work_order.original_json, '$.requests') WHERE coalesce(value ->> 'requestType', 1) <> 0))
   FROM work_order WHERE original_json IS NOT NULL`,
  // The latest model of orders without a change: if they change later, what the platform has is known.
  "CREATE TABLE last_model (order_number TEXT PRIMARY KEY, lines TEXT NOT NULL) STRICT, WITHOUT ROWID",
  // For the history of an order: its amounts at each step, and what was offered.
  `CREATE TABLE step_amounts (
    id INTEGER PRIMARY KEY,
    order_number TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    lines TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX step_amounts_order ON step_amounts (order_number)",
  "ALTER TABLE work_order DROP COLUMN original_json",
  "ALTER TABLE quantity ADD COLUMN cut REAL NOT NULL DEFAULT 0",
  "ALTER TABLE quantity ADD COLUMN refetch TEXT",
  "DROP TABLE item_factor",
  `CREATE TABLE item_factor (
    item_number TEXT NOT NULL,
    unit INTEGER NOT NULL,
    factor INTEGER NOT NULL,
    -- The amount of the line that has shown it.
    amount REAL NOT NULL,
    -- 1 once a second amount has shown the same.
    proven INTEGER NOT NULL,
    PRIMARY KEY (item_number, unit)
  ) STRICT, WITHOUT ROWID`,
  "ALTER TABLE change RENAME TO earlier_change",
  `CREATE TABLE change (
    id INTEGER PRIMARY KEY,
    entry_id TEXT NOT NULL,
    -- The entry's number: a line whose latest word has another one is no longer this change's.
    seq INTEGER NOT NULL,
    order_number TEXT NOT NULL,
    -- Which line; all three NULL means the whole order.
    external_id TEXT,
    item_number TEXT,
    lot TEXT,
    -- The line that it came for with a pushed order; NULL: whatever its names are about.
    line_key TEXT,
    -- The amount that is still wanted, in the order line's unit; 0 cancels.
    target REAL NOT NULL,
    reason TEXT,
    state TEXT NOT NULL DEFAULT 'pending'
      CHECK (${oneOf("state", ["pending", "removed", "applied", "partly", "too-late", "superseded"])}),
    -- 'open' not settled, 'due' to be told with this very entry, 'sent', or 'none' where a newer change took its place.
    receipt TEXT NOT NULL DEFAULT 'open' CHECK (${oneOf("receipt", ["open", "due", "sent", "none"])}),
    begun INTEGER NOT NULL DEFAULT 0,
    offered INTEGER NOT NULL DEFAULT 0,
    first_offered_step INTEGER,
    settled_step INTEGER,
    settled_entry_id TEXT,
    -- What had been picked when it was settled, in the order line's unit where its factor is certain.
    picked REAL,
    filed_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT`,
  // Receipts that were not sent yet are sent now, with their outcome so far.
  `INSERT INTO change (id, entry_id, seq, order_number, external_id, item_number, lot, target, reason, state, receipt,
    begun, offered, first_offered_step, settled_step, settled_entry_id, picked, filed_at, settled_at)
   SELECT id, entry_id, 0, order_number, external_id, item_number, lot, target, reason, state,
    CASE WHEN receipt = 'open' AND state IN ('pending', 'superseded') THEN 'none' WHEN receipt = 'open' THEN 'due' ELSE receipt END,
    1, offered, first_offered_step, settled_step, settled_entry_id, picked, filed_at, settled_at
   FROM earlier_change`,
  "DROP TABLE earlier_change",
  "CREATE INDEX change_order ON change (order_number)",
  "CREATE INDEX change_due ON change (id) WHERE receipt = 'due'",
  "CREATE INDEX change_untouched ON change (filed_at) WHERE receipt = 'open' AND begun = 0",
];

/** What operators were told to put aside, so that nobody is told about the same goods twice. */
const announcedExcessTable = [
  `CREATE TABLE told_aside (
    order_number TEXT NOT NULL,
    item_number TEXT NOT NULL,
    -- In the unit of the item's lines.
    amount REAL NOT NULL,
    PRIMARY KEY (order_number, item_number)
  ) STRICT, WITHOUT ROWID`,
];

/** Named as the code names it. */
const announcedExcessName = ["ALTER TABLE told_aside RENAME TO announced_excess"];

/** The index is the number, starting at 1. Never edit a released migration: databases have stored it as done. */
const migrations: readonly (readonly string[])[] = [
  [...orderTables, ...itemTables, ...eventTables],
  receiptColumn,
  indexableValueTable,
  offeredColumn,
  reconciliation,
  announcedExcessTable,
  finishTables,
  announcedExcessName,
  longTextsApart,
];

/** The number of the last migration applied to this database. */
function migratedTo(database: Database): number {
  if (database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'embedded_migration'").get() === undefined) return 0;
  const last = database.query("SELECT max(number) AS done FROM embedded_migration", row({ done: nullable(integer) }));
  return last.get()?.done ?? 0;
}

/** Applies the missing migrations, all or none. A copy is brought to the version of its owner. */
export function migrate(database: Database, upTo = migrations.length): void {
  // A savepoint instead of BEGIN also works when the caller has a transaction open.
  database.exec("SAVEPOINT embedded_migration");
  try {
    database.exec("CREATE TABLE IF NOT EXISTS embedded_migration (number INTEGER PRIMARY KEY) STRICT");
    const latest = database
      .query("SELECT coalesce(max(number), 0) AS done FROM embedded_migration", row({ done: integer }))
      .get();
    const done = latest?.done ?? 0;
    if (done > migrations.length) {
      throw new Fault("broken", `the data was written by a newer version (tables ${done}, known ${migrations.length})`);
    }
    for (const [index, statements] of migrations.slice(0, upTo).entries()) {
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

/** For copies of the database, whose owner may be an older program. */
export const layout = { newest: migrations.length, of: migratedTo, bringTo: migrate };
