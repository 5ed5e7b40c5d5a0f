import { integer, nullable, row, text } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import type { DateSettings } from "../operation/dates.ts";
import { isServableItem, isServableOrder } from "../sdk/servable-record.ts";

export type StoredTable = "work_order" | "item";

/** A stored record that cannot be served. */
export interface BadStored {
  readonly table: StoredTable;
  readonly id: number;
}

const nextRow = row({ id: integer, json: nullable(text) });

export const isBadStored = (table: StoredTable, json: string, dates: DateSettings): boolean =>
  !(table === "item" ? isServableItem(json) : isServableOrder(json, dates));

/** Read in small steps: a result that stays open would keep the journal from shortening its log. */
const rowsAtOnce = 200;

/** Checks every stored order that has not ended, and every item. Yields the bad ones after each step. */
export function* sweepStored(database: Database, dates: DateSettings): Generator<readonly BadStored[]> {
  const next = {
    // Ended orders are never served. Their ids are still read, so that each step stays short.
    work_order: database.query(
      "SELECT id, CASE ended WHEN 0 THEN json END AS json FROM work_order WHERE id > ? ORDER BY id LIMIT ?",
      nextRow,
    ),
    item: database.query("SELECT rowid AS id, json FROM item WHERE rowid > ? ORDER BY rowid LIMIT ?", nextRow),
  };
  for (const table of ["work_order", "item"] as const) {
    for (let after = 0; ; ) {
      const rows = next[table].all(after, rowsAtOnce);
      yield rows.flatMap(({ id, json }) => (json !== null && isBadStored(table, json, dates) ? [{ table, id }] : []));
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsAtOnce) break;
      after = last.id;
    }
  }
}
