import { row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { roundAmount } from "../ledger/ledger-line.ts";
import { containerShareRow } from "../store-rows.ts";

/** What went into which container, in base units, and what was reported as finished. */
export const finishTables: readonly string[] = [
  `CREATE TABLE container_share (
    order_number TEXT NOT NULL,
    code TEXT NOT NULL,
    -- Of the line's account.
    position INTEGER NOT NULL,
    amount REAL NOT NULL,
    PRIMARY KEY (order_number, code, position)
  ) STRICT, WITHOUT ROWID`,
  // The code is empty in the row of the order itself.
  `CREATE TABLE finished (
    order_number TEXT NOT NULL,
    code TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    PRIMARY KEY (order_number, code)
  ) STRICT, WITHOUT ROWID`,
];

export interface Share {
  readonly code: string;
  readonly position: number;
  readonly amount: number;
}

export interface FinishTables {
  readonly addShare: (orderNumber: string, share: Share) => void;
  readonly sharesOf: (orderNumber: string) => readonly Share[];
  /** Stores that it was reported as finished. Returns whether this was the first time. */
  readonly finish: (orderNumber: string, code: string, entryId: string) => boolean;
}

const shareRow = row({
  code: containerShareRow.columns.code,
  position: containerShareRow.columns.position,
  amount: containerShareRow.columns.amount,
});

export function openFinishTables(database: Database): FinishTables {
  const add = database.statement(
    `INSERT INTO container_share (order_number, code, position, amount) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`,
  );
  const ofOrder = database.query(
    "SELECT code, position, amount FROM container_share WHERE order_number = ? ORDER BY code, position",
    shareRow,
  );
  const finish = database.statement("INSERT OR IGNORE INTO finished (order_number, code, entry_id) VALUES (?, ?, ?)");
  return {
    addShare: (orderNumber, { code, position, amount }) => {
      add.run(orderNumber, code, position, amount);
    },
    sharesOf: (orderNumber) =>
      ofOrder.all(orderNumber).map((share) => ({ ...share, amount: roundAmount(share.amount) })),
    finish: (orderNumber, code, entryId) => finish.run(orderNumber, code, entryId).changes > 0,
  };
}
