import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { row } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LineNames } from "../../ledger/line-sight.ts";
import { changeRow } from "../../store-rows.ts";
import type { Judgement, OpenChange, Verdict } from "./judge-change.ts";

export interface NewChange extends LineNames {
  readonly lineKey: string | null;
  readonly orderNumber: string;
  /** The amount still wanted of its lines together, in the line's own unit; 0 cancels. */
  readonly target: number;
  readonly reason: string | null;
}

/** A word of the external system, and its receipt. What came of it is told once; until then it is open. */
export interface Change extends NewChange, OpenChange {
  readonly id: number;
  readonly entryId: string;
  readonly state: "pending" | "superseded" | Verdict;
  /** How often an answer has brought it to the platform. */
  readonly offered: number;
  readonly settledStep: number | null;
  readonly picked: number | null;
}

export interface ChangeTable {
  /** Changes of an order without a receipt, oldest first. */
  readonly open: (orderNumber: string) => readonly Change[];
  readonly add: (change: NewChange, entry: ProjectionEntry) => void;
  /** The same of lines that nobody has or ever had: its receipt is due at once. */
  readonly addRemoved: (change: NewChange, entry: ProjectionEntry) => void;
  /** A newer one took its place: it gets no receipt. */
  readonly supersede: (change: Change, entry: ProjectionEntry) => void;
  /** Written before it is final too: a look into the history shows how it stands. */
  readonly settle: (change: Change, judgement: Judgement, step: number, entry: ProjectionEntry) => void;
  /** An answer has brought them to the platform. */
  readonly countOffer: (change: Change, step: number) => void;
  /** Whether somebody works on an order with lines of it: as long as that is so, only the floor can say what came of it. */
  readonly markBegun: (change: Change, isBegun: boolean) => void;
  /** Changes from before that time to lines that nobody works on; the oldest few. */
  readonly untouchedSince: (beforeMs: number) => readonly Change[];
  /** Whether a receipt may have become due since this was last asked. */
  readonly takeChanged: () => boolean;
}

export const changeColumns = `id, entry_id AS entryId, seq, order_number AS orderNumber, external_id AS externalId,
  item_number AS itemNumber, lot, line_key AS lineKey, target, reason, state, offered, settled_step AS settledStep, picked`;

const { columns: of } = changeRow;
const namesRow = { externalId: of.external_id, itemNumber: of.item_number, lot: of.lot, lineKey: of.line_key };
/** The rows with these columns. */
export const readChangeRow = row({
  ...namesRow,
  ...{ id: of.id, entryId: of.entry_id, seq: of.seq, orderNumber: of.order_number, target: of.target },
  ...{ reason: of.reason, state: of.state, offered: of.offered, settledStep: of.settled_step, picked: of.picked },
});

/** Many at once must not hold up the entry they are settled with; the rest comes with the next. */
const maxByTime = 50;

export function openChangeTable(database: Database): ChangeTable {
  const open = database.query(
    `SELECT ${changeColumns} FROM change WHERE order_number = ? AND receipt = 'open' ORDER BY id`,
    readChangeRow,
  );
  const insert = database.statement(
    `INSERT INTO change (entry_id, seq, order_number, external_id, item_number, lot, line_key, target, reason, filed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertRemoved = database.statement(
    `INSERT INTO change (entry_id, seq, order_number, external_id, item_number, lot, line_key, target, reason, filed_at,
       state, picked, settled_at, settled_entry_id, receipt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'removed', 0, ?, ?, 'due')`,
  );
  const supersede = database.statement(
    `UPDATE change SET state = 'superseded', receipt = 'none', settled_at = ?, settled_entry_id = ? WHERE id = ?`,
  );
  const settle = database.statement(
    `UPDATE change SET state = ?, settled_step = ?, picked = ?, settled_at = ?, settled_entry_id = ?, receipt = 'due'
     WHERE id = ?`,
  );
  const countOffer = database.statement(
    "UPDATE change SET offered = offered + 1, first_offered_step = coalesce(first_offered_step, ?) WHERE id = ?",
  );
  const markBegun = database.statement("UPDATE change SET begun = ? WHERE id = ? AND begun <> ?");
  // The conditions of the indexes word for word: otherwise SQLite would not use them.
  const untouched = database.query(
    `SELECT ${changeColumns} FROM change
      WHERE receipt = 'open' AND begun = 0 AND filed_at <= ? ORDER BY filed_at LIMIT ${maxByTime}`,
    readChangeRow,
  );
  // Told once too often after a rollback, which costs a look.
  let changed = true;

  const valuesOf = (change: NewChange, entry: ProjectionEntry) => {
    const { orderNumber, externalId, itemNumber, lot, lineKey, target, reason } = change;
    // In the order of the columns.
    return [
      ...[entry.id, entry.seq, orderNumber, externalId, itemNumber, lot, lineKey, target, reason, entry.receivedAt],
    ];
  };

  return {
    open: (orderNumber) => open.all(orderNumber),
    add: (change, entry) => {
      insert.run(...valuesOf(change, entry));
      changed = true;
    },
    addRemoved: (change, entry) => {
      insertRemoved.run(...valuesOf(change, entry), entry.receivedAt, entry.id);
      changed = true;
    },
    supersede: ({ id }, entry) => {
      supersede.run(entry.receivedAt, entry.id, id);
    },
    settle: ({ id }, { verdict, picked }, step, entry) => {
      changed = true;
      settle.run(verdict, step, picked, entry.receivedAt, entry.id, id);
    },
    countOffer: ({ id }, step) => {
      countOffer.run(step, id);
    },
    markBegun: ({ id }, isBegun) => {
      const value = isBegun ? 1 : 0;
      markBegun.run(value, id, value);
    },
    untouchedSince: (beforeMs) => untouched.all(beforeMs),
    takeChanged: () => {
      const was = changed;
      changed = false;
      return was;
    },
  };
}
