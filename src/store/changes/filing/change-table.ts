import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { recentValues } from "../../../kit/recent-values.ts";
import { row } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { LineNames } from "../../ledger/line-ref.ts";
import { changeRow } from "../../store-rows.ts";
import type { Judgement, OpenChange, Verdict } from "./judge-change.ts";

export interface NewChange extends LineNames {
  readonly lineKey: string | null;
  readonly orderNumber: string;
  /** The amount still wanted of all its lines together, in the line's own unit; 0 cancels. */
  readonly target: number;
  readonly reason: string | null;
}

/** A change from the external system. It gets one receipt, and is open until then. */
export interface Change extends NewChange, OpenChange {
  readonly id: number;
  readonly entryId: string;
  readonly state: "pending" | "superseded" | Verdict;
  /** How many answers have offered it to the platform. */
  readonly offered: number;
  readonly settledStep: number | null;
  readonly picked: number | null;
  /** Whether an order with lines of the change is being worked on. */
  readonly begun: number;
}

export interface ChangeTable {
  /** Changes of an order without a receipt, oldest first. */
  readonly open: (orderNumber: string) => readonly Change[];
  readonly add: (change: NewChange, entry: ProjectionEntry) => void;
  /** Adds a change to lines that no order has or ever had: its receipt "removed" is due at once. */
  readonly addRemoved: (change: NewChange, entry: ProjectionEntry) => void;
  /** Marks a change as replaced by a newer one: it gets no receipt. */
  readonly supersede: (change: Change, entry: ProjectionEntry) => void;
  /** Stores the outcome of a change; its receipt is due from then on. */
  readonly settle: (change: Change, judgement: Judgement, step: number, entry: ProjectionEntry) => void;
  /** Counts an answer that has offered the change to the platform. */
  readonly countOffer: (change: Change, step: number) => void;
  /**
   * Stores whether an order with lines of the change is being worked on. While it is, only the floor can tell the
   * outcome.
   */
  readonly markBegun: (change: Change, isBegun: boolean) => void;
  /** The oldest few changes filed up to that time whose lines nobody works on. */
  readonly untouchedSince: (beforeMs: number) => readonly Change[];
  /** Whether a receipt may have become due since the last call. */
  readonly drainChanged: () => boolean;
  /** Called after a rollback: what is kept in memory may not be stored. */
  readonly forget: () => void;
}

export const changeColumns = `id, entry_id AS entryId, seq, order_number AS orderNumber, external_id AS externalId,
  item_number AS itemNumber, lot, line_key AS lineKey, target, reason, state, offered, settled_step AS settledStep, picked, begun`;

const { columns: of } = changeRow;
const namesRow = { externalId: of.external_id, itemNumber: of.item_number, lot: of.lot, lineKey: of.line_key };
/** Reads the rows selected with changeColumns. */
export const readChangeRow = row({
  ...namesRow,
  ...{ id: of.id, entryId: of.entry_id, seq: of.seq, orderNumber: of.order_number, target: of.target },
  ...{ reason: of.reason, state: of.state, offered: of.offered, settledStep: of.settled_step, picked: of.picked },
  begun: of.begun,
});

/**
 * Settling many changes at once must not delay the entry they are settled with; the rest follows with the next entry.
 */
const maxByTime = 50;

/** Open changes that are kept: a push that lowers every line of a long order makes ten thousand. */
const rememberedChanges = 20_000;

/** The open changes of one order by id, oldest first. Changed in place: one entry may settle thousands of them. */
interface OpenChanges {
  readonly changes: Map<number, Change>;
  readonly weight: number;
}

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
  const markBegun = database.statement("UPDATE change SET begun = ? WHERE id = ?");
  // Repeats the condition of the index word for word: otherwise SQLite does not use the index.
  const untouched = database.query(
    `SELECT ${changeColumns} FROM change
      WHERE receipt = 'open' AND begun = 0 AND filed_at <= ? ORDER BY filed_at LIMIT ${maxByTime}`,
    readChangeRow,
  );
  // May be true once too often after a rollback, which costs one extra query.
  let changed = true;
  const recent = recentValues<OpenChanges>(rememberedChanges, ({ weight }) => weight);
  const keep = (orderNumber: string, changes: Map<number, Change>) =>
    recent.set(orderNumber, { changes, weight: 1 + changes.size });
  const update = (change: Change) => recent.get(change.orderNumber)?.changes.set(change.id, change);
  const drop = ({ orderNumber, id }: Change) => recent.get(orderNumber)?.changes.delete(id);

  const valuesOf = (change: NewChange, entry: ProjectionEntry) => {
    const { orderNumber, externalId, itemNumber, lot, lineKey, target, reason } = change;
    // In the order of the columns in both INSERT statements.
    return [
      ...[entry.id, entry.seq, orderNumber, externalId, itemNumber, lot, lineKey, target, reason, entry.receivedAt],
    ];
  };

  return {
    open: (orderNumber) => {
      const known = recent.get(orderNumber)?.changes ?? new Map(open.all(orderNumber).map((one) => [one.id, one]));
      keep(orderNumber, known);
      return [...known.values()];
    },
    add: (change, entry) => {
      const { lastRowId: id } = insert.run(...valuesOf(change, entry));
      changed = true;
      const known = recent.get(change.orderNumber)?.changes;
      if (known === undefined) return;
      known.set(id, { ...change, id, entryId: entry.id, seq: entry.seq, ...asAdded });
      keep(change.orderNumber, known);
    },
    addRemoved: (change, entry) => {
      insertRemoved.run(...valuesOf(change, entry), entry.receivedAt, entry.id);
      changed = true;
    },
    supersede: (change, entry) => {
      supersede.run(entry.receivedAt, entry.id, change.id);
      drop(change);
    },
    settle: (change, { verdict, picked }, step, entry) => {
      changed = true;
      settle.run(verdict, step, picked, entry.receivedAt, entry.id, change.id);
      drop(change);
    },
    countOffer: (change, step) => {
      countOffer.run(step, change.id);
      update({ ...change, offered: change.offered + 1 });
    },
    markBegun: (change, isBegun) => {
      const begun = isBegun ? 1 : 0;
      if (change.begun === begun) return;
      markBegun.run(begun, change.id);
      update({ ...change, begun });
    },
    untouchedSince: (beforeMs) => untouched.all(beforeMs),
    drainChanged: () => {
      const was = changed;
      changed = false;
      return was;
    },
    forget: recent.clear,
  };
}

/** As the table stores a change that nothing has happened to. */
const asAdded = { state: "pending", offered: 0, settledStep: null, picked: null, begun: 0 } as const;
