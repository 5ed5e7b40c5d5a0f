import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { SqlValue } from "../row.ts";
import type { RecordedTable } from "./changeset-section.ts";

/** A table whose rows can be written down without asking SQLite for them. */
export interface PlainTable extends RecordedTable {
  readonly columns: readonly PlainColumn[];
}

interface PlainColumn {
  readonly name: string;
  readonly type: "INTEGER" | "TEXT" | "BLOB";
  /** The value of a row that is inserted without this column; undefined if it is not a plain one. */
  readonly otherwise: number | null | undefined;
}

/** A statement whose changes are known from its values. */
export type RowChange =
  | {
      readonly kind: "insert";
      readonly table: PlainTable;
      /** For each column, which of the values it gets; -1: none of them. */
      readonly sources: readonly number[];
    }
  | {
      readonly kind: "update";
      readonly table: PlainTable;
      /** The columns that get a value, in the order of the values. */
      readonly changed: readonly number[];
      readonly key: readonly number[];
      /** Returns the key and the earlier values of the rows that the statement changes, in this order. */
      readonly rowsBefore: (condition: readonly SqlValue[]) => readonly (readonly SqlValue[])[];
    };

const insertText = /^\s*INSERT INTO (\w+) \(([\w\s,]+)\) VALUES \(([?,\s]+)\)\s*$/;
const updateText = /^\s*UPDATE (\w+) SET ((?:\w+ = \?,\s*)*\w+ = \?)(?:\s+WHERE\s+(.+?))?\s*$/s;

/** Returns what a statement changes; null if only SQLite knows it. */
export function rowChangeOf(driver: DatabaseSync, sql: string): RowChange | null {
  const insert = insertText.exec(sql);
  if (insert !== null)
    return insertOf(driver, insert[1] ?? "", listed(insert[2] ?? ""), listed(insert[3] ?? "").length);
  const update = updateText.exec(sql);
  if (update === null) return null;
  const names = listed(update[2] ?? "").map((assignment) => assignment.replace(" = ?", ""));
  return updateOf(driver, update[1] ?? "", names, update[3] ?? "true");
}

const listed = (text: string) => text.split(",").map((one) => one.trim());

function insertOf(driver: DatabaseSync, name: string, names: readonly string[], values: number): RowChange | null {
  const table = plainTable(driver, name);
  if (table === null || names.length !== values) return null;
  const sources = table.columns.map((column) => names.indexOf(column.name));
  const isKnown = table.columns.every(
    ({ otherwise }, index) => sources[index] !== -1 || (otherwise !== undefined && table.keyPositions[index] === 0),
  );
  const hasOthers = names.some((one) => !table.columns.some((column) => column.name === one));
  return isKnown && !hasOthers ? { kind: "insert", table, sources } : null;
}

function updateOf(driver: DatabaseSync, name: string, names: readonly string[], condition: string): RowChange | null {
  const table = plainTable(driver, name);
  if (table === null) return null;
  const changed = names.map((one) => table.columns.findIndex((column) => column.name === one));
  if (changed.some((index) => index === -1 || table.keyPositions[index] !== 0)) return null;
  const key = table.columns.flatMap((_, index) => (table.keyPositions[index] === 0 ? [] : [index]));
  const read = [...key, ...changed].map((index) => table.columns[index]?.name).join(", ");
  const before = preparedOrNull(driver, `SELECT ${read} FROM ${name} WHERE ${condition}`);
  if (before === null) return null;
  before.setReturnArrays(true);
  return {
    ...{ kind: "update", table, changed, key },
    // Rows are lists here; the driver's declared type knows only objects.
    rowsBefore: (values) => before.all(...(values as SQLInputValue[])) as unknown as SqlValue[][],
  };
}

/** Returns null if what follows the condition cannot follow that of a SELECT. */
function preparedOrNull(driver: DatabaseSync, sql: string): StatementSync | null {
  try {
    return driver.prepare(sql);
  } catch {
    return null;
  }
}

/**
 * Returns the table; null if a value may be stored in another form than it was given (a table that is not strict, a
 * column for real or any numbers), or if the session extension would not record its rows.
 */
function plainTable(driver: DatabaseSync, name: string): PlainTable | null {
  // A temporary table of the same name would come first.
  const [found, other] = driver.prepare("SELECT schema, strict FROM pragma_table_list WHERE name = ?").all(name);
  if (found?.["schema"] !== "main" || found["strict"] !== 1 || other !== undefined) return null;
  // A trigger, or a rule for conflicts in the table itself, changes other rows as well.
  const others = `SELECT 1 FROM sqlite_schema WHERE tbl_name = ? AND (type = 'trigger' OR sql LIKE '%ON CONFLICT%')`;
  if (driver.prepare(others).get(name) !== undefined) return null;
  const rows = driver.prepare("SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)").all(name);
  const columns = rows.map((row) => ({
    name: String(row["name"]),
    type: String(row["type"]).toUpperCase(),
    otherwise: plainDefault(row["dflt_value"]),
  }));
  const keyPositions = rows.map((row) => Number(row["pk"]));
  const isPlain = rows.every((row) => row["hidden"] === 0) && keyPositions.some((position) => position > 0);
  return isPlain && columns.every(isPlainColumn) ? { name, keyPositions, columns } : null;
}

const isPlainColumn = (column: Omit<PlainColumn, "type"> & { readonly type: string }): column is PlainColumn =>
  ["INTEGER", "TEXT", "BLOB"].includes(column.type);

function plainDefault(text: unknown): number | null | undefined {
  if (text === null) return null;
  return typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Whether the column stores exactly this value. */
export function isStoredAsGiven({ type }: PlainColumn, value: SqlValue | undefined): boolean {
  if (value === null) return true;
  if (type === "INTEGER") return typeof value === "number" && Number.isSafeInteger(value);
  // Half a character is stored as a replacement.
  if (type === "TEXT") return typeof value === "string" && value.isWellFormed();
  return value instanceof Uint8Array;
}
