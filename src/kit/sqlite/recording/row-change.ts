import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { SqlValue } from "../row.ts";
import { isStoredAsGiven, type PlainTable, plainTable } from "./plain-table.ts";
import { type WritingStatement, writingStatement } from "./statement-text.ts";

export type Row = readonly SqlValue[];

/** A statement whose changes can be written down here. */
export type RowChange = InsertedRow | UpdatedRows | RereadRows;

/** Inserts a row that is known from the values. */
export interface InsertedRow {
  readonly kind: "insert";
  readonly table: PlainTable;
  /** For each column, which of the values it gets; -1: none of them. */
  readonly sources: readonly number[];
}

/** Gives columns of some rows new values, which are known. */
export interface UpdatedRows {
  readonly kind: "update";
  readonly table: PlainTable;
  /** The columns that get a value, in the order of the values. */
  readonly changed: readonly number[];
  /** The columns that are read, those of the key first, then those. */
  readonly read: readonly number[];
  /** Returns the key and the earlier values of the rows that the statement changes, in this order. */
  readonly rowsBefore: (condition: Row) => readonly Row[];
}

/** Changes few rows in a way that only SQLite knows, so they are read before and after it. */
export interface RereadRows {
  readonly kind: "reread";
  readonly table: PlainTable;
  /** The columns that are read, those of the key first. Whoever inserts or deletes rows reads all of them. */
  readonly read: readonly number[];
  /** Returns the rows that the statement may change; null: too many, or not known from the values. */
  readonly rowsBefore: (values: Row) => readonly RowBefore[] | null;
  readonly rowAfter: (key: Row) => Row | null;
}

export interface RowBefore {
  readonly key: Row;
  /** Null: there is no such row. */
  readonly row: Row | null;
}

/** Of more rows, SQLite knows the changes faster. */
const mostReread = 20;

/** Returns what a statement changes; null if only SQLite knows it. */
export function rowChangeOf(driver: DatabaseSync, sql: string): RowChange | null {
  const statement = writingStatement(sql);
  if (statement === null) return null;
  const table = plainTable(driver, statement.table);
  if (table === null) return null;
  switch (statement.kind) {
    case "insert":
      return insertOf(driver, table, statement);
    case "update":
      return updateOf(driver, table, statement);
    case "delete":
      return deleteOf(driver, table, statement);
  }
}

type Statement<Kind extends WritingStatement["kind"]> = Extract<WritingStatement, { readonly kind: Kind }>;

function insertOf(
  driver: DatabaseSync,
  table: PlainTable,
  { columns, changedIfKnown }: Statement<"insert">,
): RowChange | null {
  const hasOthers = columns.some((one) => !table.columns.some(({ name }) => name === one));
  const sources = table.columns.map(({ name }) => columns.indexOf(name));
  if (hasOthers) return null;
  if (changedIfKnown === null) {
    const isKnown = table.columns.every(
      ({ otherwise }, index) => sources[index] !== -1 || (otherwise !== undefined && table.keyPositions[index] === 0),
    );
    return isKnown ? { kind: "insert", table, sources } : null;
  }
  // Another unique column could be in the way of another row.
  if (!table.hasOneKey || table.key.some((index) => sources[index] === -1)) return null;
  if (changedIfKnown.some((name) => isOfKey(table, name))) return null;
  const read = wholeRow(table);
  const rowAfter = rowReader(driver, table, read);
  const rowsBefore = (values: Row) => {
    const key: SqlValue[] = [];
    for (const index of table.key) {
      const value = values[sources[index] ?? -1];
      const column = table.columns[index];
      if (column === undefined || value === undefined || value === null || !isStoredAsGiven(column, value)) return null;
      key.push(value);
    }
    return [{ key, row: rowAfter(key) }];
  };
  return { kind: "reread", table, read, rowsBefore, rowAfter };
}

function updateOf(
  driver: DatabaseSync,
  table: PlainTable,
  { columns, valuesBefore, isPlain, condition }: Statement<"update">,
): RowChange | null {
  const changed = columns.map((name) => table.columns.findIndex((column) => column.name === name));
  if (changed.includes(-1) || columns.some((name) => isOfKey(table, name))) return null;
  const read = [...table.key, ...changed];
  const before = prepared(driver, `SELECT ${namesOf(table, read)} FROM ${table.name} WHERE ${condition}`);
  if (before === null) return null;
  if (isPlain) return { kind: "update", table, changed, read, rowsBefore: before.all };
  const few = prepared(
    driver,
    `SELECT ${namesOf(table, read)} FROM ${table.name} WHERE (${condition}) LIMIT ${mostReread + 1}`,
    { bigIntegers: true },
  );
  if (few === null) return null;
  const rowsBefore = (values: Row) => {
    const rows = few.all(values.slice(valuesBefore));
    return rows.length > mostReread ? null : rows.map((row) => ({ key: row.slice(0, table.key.length), row }));
  };
  return { kind: "reread", table, read, rowsBefore, rowAfter: rowReader(driver, table, read) };
}

/** A deletion is often only made sure of, and then there is no row. */
function deleteOf(driver: DatabaseSync, table: PlainTable, { condition }: Statement<"delete">): RowChange | null {
  const first = prepared(driver, `SELECT 1 FROM ${table.name} WHERE (${condition}) LIMIT 1`);
  if (first === null) return null;
  const rowsBefore = (values: Row) => (first.all(values).length === 0 ? [] : null);
  return { kind: "reread", table, read: [], rowsBefore, rowAfter: () => null };
}

const isOfKey = (table: PlainTable, name: string) =>
  table.columns.some((column, index) => column.name === name && table.keyPositions[index] !== 0);

/** All columns, those of the key first. */
const wholeRow = ({ columns, key }: PlainTable): readonly number[] => [
  ...key,
  ...columns.flatMap((_, index) => (key.includes(index) ? [] : [index])),
];

const namesOf = ({ columns }: PlainTable, indexes: readonly number[]) =>
  indexes.map((index) => columns[index]?.name).join(", ");

function rowReader(driver: DatabaseSync, table: PlainTable, read: readonly number[]): (key: Row) => Row | null {
  const condition = table.key.map((index) => `${table.columns[index]?.name} = ?`).join(" AND ");
  const sql = `SELECT ${namesOf(table, read)} FROM ${table.name} WHERE ${condition}`;
  const one = prepared(driver, sql, { bigIntegers: true });
  return (key) => one?.all(key)[0] ?? null;
}

/** Returns null if what follows the condition cannot follow that of a SELECT. */
function prepared(driver: DatabaseSync, sql: string, { bigIntegers = false } = {}) {
  let statement: StatementSync;
  try {
    statement = driver.prepare(sql);
  } catch {
    return null;
  }
  statement.setReturnArrays(true);
  statement.setReadBigInts(bigIntegers);
  // Rows are lists here; the driver's declared type knows only objects.
  return { all: (values: Row) => statement.all(...(values as SQLInputValue[])) as unknown as readonly Row[] };
}
