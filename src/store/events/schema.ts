import { oneOf } from "../../kit/sqlite/sqlite.ts";

/**
 * Tables of what the floor reports and of what the external system wants changed. Amounts of the ledger are in base
 * units, except in a row whose factor is still NULL: that row is in the order line's own unit.
 */
export const eventTables: readonly string[] = [
  `CREATE TABLE container (
    code TEXT PRIMARY KEY,
    folded TEXT NOT NULL,
    order_number TEXT,
    location TEXT,
    changed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX container_folded ON container (folded)",
  "CREATE INDEX container_order ON container (order_number) WHERE order_number IS NOT NULL",

  // Clustered by order: a step reads and writes one page. With a separate index it would be two.
  `CREATE TABLE quantity (
    order_number TEXT NOT NULL,
    position INTEGER NOT NULL,
    -- The platform's id of the line; NULL until a step or a cancellation has named it.
    request_id INTEGER,
    external_id TEXT,
    item_number TEXT NOT NULL,
    lot TEXT,
    unit INTEGER NOT NULL,
    -- Amount of the line as first pushed, in its own unit; NULL for lines that came by other ways.
    intake REAL,
    designated_location TEXT,
    -- Base units per unit of the order line: NULL not learned yet, 0 not certain, else a whole number.
    factor INTEGER,
    requested REAL NOT NULL,
    picked REAL NOT NULL DEFAULT 0,
    cancelled REAL NOT NULL DEFAULT 0,
    over_picked REAL NOT NULL DEFAULT 0,
    steps INTEGER NOT NULL DEFAULT 0,
    -- The latest steps of this line: the same again is the platform's retry.
    last_steps TEXT,
    -- [[location, amount], …]: where what was confirmed came from or went to.
    places TEXT,
    PRIMARY KEY (order_number, position)
  ) STRICT, WITHOUT ROWID`,

  `CREATE TABLE item_factor (
    item_number TEXT NOT NULL,
    unit INTEGER NOT NULL,
    factor INTEGER NOT NULL,
    PRIMARY KEY (item_number, unit)
  ) STRICT, WITHOUT ROWID`,

  `CREATE TABLE change (
    id INTEGER PRIMARY KEY,
    entry_id TEXT NOT NULL,
    order_number TEXT NOT NULL,
    -- Which line; all three NULL means the whole order.
    external_id TEXT,
    item_number TEXT,
    lot TEXT,
    -- The amount that is still wanted, in the order line's unit; 0 cancels.
    target REAL NOT NULL,
    reason TEXT,
    -- The receipt for the external system.
    state TEXT NOT NULL CHECK (${oneOf("state", ["pending", "removed", "applied", "partly", "too-late", "superseded"])}),
    -- 1 while a confirm step may still bring a model that shows the old line. A change to a waiting order is
    -- 'removed' at once and watched all the same: the platform may have fetched the order before.
    watched INTEGER NOT NULL,
    offered INTEGER NOT NULL DEFAULT 0,
    first_offered_step INTEGER,
    settled_step INTEGER,
    settled_entry_id TEXT,
    -- What had been picked when it was settled, in the order line's unit where its factor is certain.
    picked REAL,
    filed_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT`,
  "CREATE INDEX change_watched ON change (order_number) WHERE watched = 1",
  "CREATE INDEX change_order ON change (order_number)",

  // Follow-up orders by original order. Recognised by their number alone, an order of the ERP's own could be mistaken
  // for one.
  `CREATE TABLE follow_up (
    id INTEGER PRIMARY KEY,
    order_number TEXT NOT NULL,
    number TEXT NOT NULL UNIQUE
  ) STRICT`,
  "CREATE INDEX follow_up_order ON follow_up (order_number)",

  `CREATE TABLE order_status (
    id INTEGER PRIMARY KEY,
    order_number TEXT NOT NULL,
    status INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    changed_at INTEGER NOT NULL
  ) STRICT`,
  "CREATE INDEX order_status_order ON order_status (order_number)",

  `CREATE TABLE relocation (
    id INTEGER PRIMARY KEY,
    container_code TEXT NOT NULL,
    order_number TEXT NOT NULL,
    location TEXT NOT NULL,
    requests TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    moved_at INTEGER NOT NULL
  ) STRICT`,
  "CREATE INDEX relocation_container ON relocation (container_code)",
  "CREATE INDEX relocation_order ON relocation (order_number)",
];
