import type { DatabaseSync } from "node:sqlite";
import type { SqlValue } from "../row.ts";
import type { RecordedTable } from "./changeset-section.ts";

const plainTypes = ["INTEGER", "REAL", "TEXT", "BLOB"] as const;

/** A table whose rows can be written down without SQLite's own recording. */
export interface PlainTable extends RecordedTable {
  readonly columns: readonly PlainColumn[];
  /** The positions of the columns of the primary key. */
  readonly key: readonly number[];
  /** Whether the primary key is the only one: then a row can be in the way of another only by its key. */
  readonly hasOneKey: boolean;
}

interface PlainColumn {
  readonly name: string;
  readonly type: (typeof plainTypes)[number];
  /** The value of a row that is inserted without this column; undefined if it is not a plain one. */
  readonly otherwise: number | null | undefined;
}

/**
 * Returns the table; null if a value may be stored in another form than it was given (a table that is not strict, a
 * column of any type), or if the session extension would not record its rows.
 */
export function plainTable(driver: DatabaseSync, name: string): PlainTable | null {
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
  const key = keyPositions.flatMap((position, index) => (position === 0 ? [] : [index]));
  const areReal = columns.map(({ type }) => type === "REAL");
  const isPlain = rows.every((row) => row["hidden"] === 0) && key.length > 0 && !key.some((index) => areReal[index]);
  if (!isPlain || !columns.every(isPlainColumn)) return null;
  const keys = driver.prepare(`SELECT 1 FROM pragma_index_list(?) WHERE "unique" = 1 AND origin <> 'pk'`).get(name);
  // A row that is replaced is deleted first, and rows of other tables with it, if they refer to it so.
  const referring = driver.prepare("SELECT 1 FROM sqlite_schema WHERE sql LIKE '%REFERENCES%'").get();
  return { name, keyPositions, areReal, columns, key, hasOneKey: keys === undefined && referring === undefined };
}

const isPlainColumn = (column: Omit<PlainColumn, "type"> & { readonly type: string }): column is PlainColumn =>
  plainTypes.some((type) => type === column.type);

function plainDefault(text: unknown): number | null | undefined {
  if (text === null) return null;
  return typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Whether the column stores exactly this value. */
export function isStoredAsGiven({ type }: PlainColumn, value: SqlValue | undefined): boolean {
  if (value === null) return true;
  if (type === "INTEGER") return typeof value === "number" && Number.isSafeInteger(value);
  // SQLite has no number for what is not a number, and no zero below zero.
  if (type === "REAL") return typeof value === "number" && !Number.isNaN(value) && !Object.is(value, -0);
  // Half a character is stored as a replacement.
  if (type === "TEXT") return typeof value === "string" && value.isWellFormed();
  return value instanceof Uint8Array;
}
