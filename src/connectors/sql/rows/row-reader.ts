import { Fault } from "../../../operation/fault.ts";
import {
  type BoundStatement,
  boundStatement,
  type Compiling,
  type Given,
  type OptionProblem,
} from "../compile/bound-statement.ts";
import type { Row, RowLimit } from "../drivers/database.ts";
import type { Session } from "../drivers/in-transaction.ts";
import { optionDefaults } from "../option-parts.ts";
import type { QueryOptions } from "../options.ts";
import type { Scope } from "../statement/parameter-scope.ts";
import { RowStore } from "./row-store.ts";

export type RecordOptions = Pick<QueryOptions, "sql" | "orders" | "lines" | "key" | "fold">;

/** Reads the records of one query or poll: plain rows, rows folded to records, or two joined statements. */
export interface RecordReader {
  readonly statements: readonly BoundStatement[];
  /** `onRow` is called for every row, before rows are folded. */
  readonly read: (session: Session, given: Given, limit: RowLimit, onRow?: (row: Row) => void) => Promise<Records>;
}

/** Can be iterated several times, until `free` is called. */
export interface Records extends AsyncIterable<Row> {
  readonly free: () => void;
}

export const noRecords: Records = { async *[Symbol.asyncIterator]() {}, free: () => {} };

export function recordReader(
  options: RecordOptions,
  scope: Scope,
  path: OptionProblem["path"],
  compiling: Compiling,
): RecordReader {
  const { sql, orders, lines, key, fold } = options;
  if (orders !== undefined && lines !== undefined && key !== undefined && sql === undefined) {
    const statements = {
      orders: boundStatement(orders, scope, [...path, "orders"], compiling),
      lines: boundStatement(lines, scope, [...path, "lines"], compiling),
    };
    return joined(statements, listOf(key), fold?.lines ?? optionDefaults.lines);
  }
  if (sql === undefined || orders !== undefined || lines !== undefined || key !== undefined) {
    compiling.problems.push({ path, text: "set `sql`, or all three of `orders`, `lines` and `key`" });
  }
  const statement = boundStatement(sql ?? "", scope, [...path, "sql"], compiling);
  return folded(
    statement,
    fold && { by: listOf(fold.by), lines: fold.lines ?? optionDefaults.lines, lineKey: fold.lineKey },
  );
}

const listOf = (columns: string | readonly string[]): readonly string[] =>
  typeof columns === "string" ? [columns] : columns;

function folded(statement: BoundStatement, fold: Fold | undefined): RecordReader {
  return {
    statements: [statement],
    read: async (session, given, limit, onRow) => {
      const rows = new RowStore(fold?.by ?? null);
      await session.each(statement.bind(given), limit, (row) => {
        onRow?.(row);
        rows.add(row);
      });
      if (fold === undefined) return recordsOf([rows], () => plainRows(rows));
      demand(rows.first, [...fold.by, ...(fold.lineKey === undefined ? [] : [fold.lineKey])]);
      return recordsOf([rows], () => foldRows(rows, fold));
    },
  };
}

async function* plainRows(rows: RowStore): AsyncGenerator<Row> {
  for await (const [row] of rows.groups()) if (row !== undefined) yield row;
}

const recordsOf = (stores: readonly RowStore[], begin: () => AsyncIterator<Row>): Records => ({
  [Symbol.asyncIterator]: begin,
  free: () => {
    for (const store of stores) store.free();
  },
});

function joined(
  statements: { readonly orders: BoundStatement; readonly lines: BoundStatement },
  key: readonly string[],
  name: string,
): RecordReader {
  return {
    statements: [statements.orders, statements.lines],
    read: async (session, given, limit, onRow) => {
      const orders = new RowStore(null);
      await session.each(statements.orders.bind(given), limit, (row) => {
        onRow?.(row);
        orders.add(row);
      });
      // The lines of the first orders may be anywhere in the result: even for a preview all lines are read.
      const all = { ...limit, maxRows: Math.max(limit.maxRows, enough) };
      const lines = new RowStore(key);
      await session.each(statements.lines.bind(given), all, (row) => lines.add(row));
      demand(orders.first, key);
      demand(lines.first, key);
      return recordsOf([orders, lines], () => joinRows(orders, lines, { key, lines: name }));
    },
  };
}

const enough = 10_000;

function demand(first: Row | undefined, columns: readonly string[]): void {
  const missing = missingColumn(first, columns);
  if (missing === undefined) return;
  const there = Object.keys(first ?? {}).join(", ");
  throw new Fault("broken", `the statement returns no column ${missing}; it returns ${there}`);
}

interface Fold {
  /** Columns with the same values in all rows of one record, such as the order number. */
  readonly by: readonly string[];
  /** Name of the list of a record's rows. */
  readonly lines: string;
  /** A column that is null if the row is not a line: an outer join returns an order without lines as one such row. */
  readonly lineKey?: string | undefined;
}

/**
 * Groups the rows of a join to records: the first row of each with all its rows below it, in the order of the result.
 */
export async function* foldRows(rows: RowStore, { lines, lineKey }: Omit<Fold, "by">): AsyncGenerator<Row> {
  for await (const group of rows.groups()) {
    const own = lineKey === undefined ? group : group.filter((row) => (row[lineKey] ?? null) !== null);
    yield { ...group[0], [lines]: own };
  }
}

interface Join {
  readonly key: readonly string[];
  readonly lines: string;
}

/**
 * Joins the rows of two statements by key. Lines without an order are left out: the first statement decides which
 * orders are wanted.
 */
export async function* joinRows(orders: RowStore, lines: RowStore, join: Join): AsyncGenerator<Row> {
  for await (const [order] of orders.groups()) {
    if (order !== undefined) yield { ...order, [join.lines]: await lines.like(order, join.key) };
  }
}

/** The columns of a fold or join must exist: a typing error would put all rows into one record. */
const missingColumn = (first: Row | undefined, columns: readonly string[]): string | undefined =>
  first === undefined ? undefined : columns.find((column) => !Object.hasOwn(first, column));
