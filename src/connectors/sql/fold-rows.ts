import type { Row } from "./drivers/row-collector.ts";

export interface Fold {
  /** Columns that are the same for all rows of one record, such as the order number. */
  readonly by: readonly string[];
  /** Name under which the rows of a record stand in it. */
  readonly lines: string;
  /** A column that is null where the row is no line: an outer join brings an order without lines as one such row. */
  readonly lineKey?: string | undefined;
}

/** Rows of a join become records: the first row of each with all its rows below it, in the order they came. */
export function foldRows(rows: readonly Row[], { by, lines, lineKey }: Fold): Row[] {
  const records = new Map<string, { readonly head: Row; readonly lines: Row[] }>();
  for (const row of rows) {
    const key = keyOf(row, by);
    let record = records.get(key);
    if (record === undefined) {
      record = { head: row, lines: [] };
      records.set(key, record);
    }
    if (lineKey === undefined || (row[lineKey] ?? null) !== null) record.lines.push(row);
  }
  return Array.from(records.values(), (record) => ({ ...record.head, [lines]: record.lines }));
}

export interface Join {
  readonly ordersKey: readonly string[];
  readonly linesKey: readonly string[];
  readonly lines: string;
}

/** The rows of two statements, joined by key. Lines of no order are left out: the orders say what is wanted. */
export function joinRows(orders: readonly Row[], lines: readonly Row[], join: Join): Row[] {
  const byKey = Map.groupBy(lines, (line) => keyOf(line, join.linesKey));
  return orders.map((order) => ({ ...order, [join.lines]: byKey.get(keyOf(order, join.ordersKey)) ?? [] }));
}

/** Columns that a fold or join names must be there: a typing error would throw all rows into one record. */
export function missingColumn(rows: readonly Row[], columns: readonly string[]): string | undefined {
  const [first] = rows;
  return first === undefined ? undefined : columns.find((column) => !Object.hasOwn(first, column));
}

function keyOf(row: Row, columns: readonly string[]): string {
  // One column is the rule; it needs no list around it.
  if (columns.length === 1) {
    const value = row[columns[0] ?? ""];
    // The quote in front keeps the text `null` apart from no value, and `1` from the number.
    return typeof value === "string" ? `"${value}` : JSON.stringify(value ?? null);
  }
  return JSON.stringify(columns.map((column) => row[column] ?? null));
}
