import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { announcedExcessRow } from "../../store-rows.ts";

/**
 * How much of an item operators were told to put aside in an order. Told again in full, it would be put aside twice.
 */
export interface AnnouncedExcess {
  readonly of: (orderNumber: string, itemNumber: string) => number;
  readonly keep: (orderNumber: string, itemNumber: string, amount: number) => void;
}

export function openAnnouncedExcess(database: Database): AnnouncedExcess {
  const select = database.query(
    "SELECT amount FROM announced_excess WHERE order_number = ? AND item_number = ?",
    pick(announcedExcessRow, "amount"),
  );
  const save = database.statement(
    `INSERT INTO announced_excess (order_number, item_number, amount) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET amount = excluded.amount`,
  );
  const of = (orderNumber: string, itemNumber: string) => select.get(orderNumber, itemNumber)?.amount ?? 0;
  return {
    of,
    keep: (orderNumber, itemNumber, amount) => {
      if (of(orderNumber, itemNumber) !== amount) save.run(orderNumber, itemNumber, amount);
    },
  };
}
