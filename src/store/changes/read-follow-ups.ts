import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { workOrderRow } from "../store-rows.ts";

/** The follow-up orders. They exist only here, whoever serves the other orders. */
export interface FollowUpOrders {
  /** Follow-up orders that nobody has begun, as JSON texts, oldest first. */
  readonly waiting: () => readonly string[];
  /** Whether a scanned code is the number of a follow-up order. */
  readonly isOne: (code: string) => boolean;
}

/** Reads the follow-up orders on a read-only connection. */
export function followUpOrders(database: Database): FollowUpOrders {
  const isStored = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'follow_up'").get() !== undefined;
  if (!isStored) return { waiting: () => [], isOne: () => false };
  const waiting = database.query(
    `SELECT json FROM work_order WHERE state = 'waiting' AND number IN (SELECT number FROM follow_up) ORDER BY id`,
    pick(workOrderRow, "json"),
  );
  const isOne = database.statement("SELECT 1 FROM follow_up WHERE number = ? COLLATE NOCASE");
  return {
    waiting: () => waiting.all().map(({ json }) => json),
    isOne: (code) => isOne.get(code.trim()) !== undefined,
  };
}
