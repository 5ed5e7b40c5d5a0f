import type { Row } from "./drivers/row-collector.ts";
import type { RowStore } from "./row-store.ts";

export interface Fold {
  /** Columns that are the same for all rows of one record, such as the order number. */
  readonly by: readonly string[];
  /** Name under which the rows of a record stand in it. */
  readonly lines: string;
  /** A column that is null where the row is no line: an outer join brings an order without lines as one such row. */
  readonly lineKey?: string | undefined;
}

/** Rows of a join, grouped, become records: the first row of each with all its rows below it, in the order they came. */
export function* foldRows(rows: RowStore, { lines, lineKey }: Omit<Fold, "by">): Generator<Row> {
  for (const group of rows.groups()) {
    const own = lineKey === undefined ? group : group.filter((row) => (row[lineKey] ?? null) !== null);
    yield { ...group[0], [lines]: own };
  }
}

export interface Join {
  readonly key: readonly string[];
  readonly lines: string;
}

/** The rows of two statements, joined by key. Lines of no order are left out: the orders say what is wanted. */
export function* joinRows(orders: RowStore, lines: RowStore, join: Join): Generator<Row> {
  for (const [order] of orders.groups()) {
    if (order !== undefined) yield { ...order, [join.lines]: lines.like(order, join.key) };
  }
}

/** Columns that a fold or join names must be there: a typing error would throw all rows into one record. */
export const missingColumn = (first: Row | undefined, columns: readonly string[]): string | undefined =>
  first === undefined ? undefined : columns.find((column) => !Object.hasOwn(first, column));
