import { Fault } from "../../sdk/fault.ts";
import { type BoundStatement, boundStatement, type Given } from "./bound-statement.ts";
import type { Compiling, OptionProblem } from "./compiling.ts";
import type { Session } from "./drivers/in-transaction.ts";
import type { Row, RowLimit } from "./drivers/row-collector.ts";
import { type Fold, foldRows, joinRows, missingColumn } from "./fold-rows.ts";
import { optionDefaults } from "./option-defaults.ts";
import type { AskOptions } from "./options.ts";
import type { Scope } from "./statement/parameter-scope.ts";

export type RecordOptions = Pick<AskOptions, "sql" | "orders" | "lines" | "key" | "fold">;

/** Reads what one question or poll is about: rows as they come, folded to records, or joined from two statements. */
export interface RecordReader {
  readonly statements: readonly BoundStatement[];
  readonly read: (session: Session, given: Given, limit: RowLimit) => Promise<RecordsRead>;
}

export interface RecordsRead {
  readonly records: readonly Row[];
  /** Before folding. */
  readonly rows: readonly Row[];
}

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
    compiling.problems.push({ path, text: "give `sql`, or all three of `orders`, `lines` and `key`" });
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
    read: async (session, given, limit) => {
      const { rows } = await session.run(statement.bind(given), limit);
      if (fold === undefined) return { records: rows, rows };
      demand(rows, [...fold.by, ...(fold.lineKey === undefined ? [] : [fold.lineKey])]);
      return { records: foldRows(rows, fold), rows };
    },
  };
}

function joined(
  statements: { readonly orders: BoundStatement; readonly lines: BoundStatement },
  key: readonly string[],
  name: string,
): RecordReader {
  return {
    statements: [statements.orders, statements.lines],
    read: async (session, given, limit) => {
      const orders = await session.run(statements.orders.bind(given), limit);
      // The lines of the first few orders may stand anywhere: where a few orders are enough, the lines are still all read.
      const lines = await session.run(statements.lines.bind(given), {
        ...limit,
        maxRows: Math.max(limit.maxRows, enough),
      });
      demand(orders.rows, key);
      demand(lines.rows, key);
      const join = { ordersKey: key, linesKey: key, lines: name };
      return { records: joinRows(orders.rows, lines.rows, join), rows: orders.rows };
    },
  };
}

const enough = 10_000;

function demand(rows: readonly Row[], columns: readonly string[]): void {
  const missing = missingColumn(rows, columns);
  if (missing === undefined) return;
  const there = Object.keys(rows[0] ?? {}).join(", ");
  throw new Fault("broken", `the statement gives no column ${missing}; there is ${there}`);
}
