import type { ExportRow } from "../../contract/schemas/queries.ts";
import { integer, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";

/** Parsing so much takes a few milliseconds. */
const mostBytes = 512 * 1024;

export interface ExportedOrders {
  readonly textOf: (number: string) => string | undefined;
  /** Whether reading the orders of these rows would take so long that other requests would wait. */
  readonly isLong: (rows: readonly Pick<ExportRow, "workOrderNumber">[]) => boolean;
}

/** The orders that the columns of an export read. */
export function exportedOrders(database: Database): ExportedOrders {
  // With its indexable value as a member: an export column reads it as `order.externalIndexableValue`.
  const select = database.query(
    `SELECT CASE WHEN v.value IS NULL THEN o.json ELSE json_set(o.json, '$.externalIndexableValue', v.value) END AS json
     FROM work_order o LEFT JOIN indexable_value v ON v.number = o.number WHERE o.number = ?`,
    row({ json: text }),
  );
  // SQLite stores the length before the text: the text itself is not read.
  const measured = database.query(
    "SELECT octet_length(json) AS bytes FROM work_order WHERE number = ?",
    row({ bytes: integer }),
  );
  return {
    textOf: (number) => select.get(number)?.json,
    isLong: (rows) => {
      let bytes = 0;
      return rows.some(({ workOrderNumber }) => {
        bytes += measured.get(workOrderNumber)?.bytes ?? 0;
        return bytes > mostBytes;
      });
    },
  };
}
