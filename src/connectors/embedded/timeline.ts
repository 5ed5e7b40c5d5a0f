import type { Database } from "../../kit/sqlite.ts";

/** A change as the history of its order tells it. */
export interface ChangeHistory {
  readonly entryId: string;
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly target: number;
  readonly reason: string | null;
  readonly state: string;
  readonly offered: number;
  readonly settledStep: number | null;
  readonly settledEntryId: string | null;
  readonly picked: number | null;
  readonly filedAt: number;
  readonly settledAt: number | null;
}

/** Every change of an order that was ever wanted, oldest first, on a read-only connection. */
export function changeHistory(database: Database): (orderNumber: string) => readonly ChangeHistory[] {
  const changes = database.statement(
    `SELECT entry_id AS entryId, external_id AS externalId, item_number AS itemNumber, target, reason, state, offered,
       settled_step AS settledStep, settled_entry_id AS settledEntryId, picked, filed_at AS filedAt,
       settled_at AS settledAt
     FROM change WHERE order_number = ? ORDER BY id`,
  );
  return (orderNumber) => changes.all<ChangeHistory>(orderNumber);
}
