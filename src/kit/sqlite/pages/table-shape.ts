import { integer, nullable, row, text } from "../row.ts";
import type { Database, SqlValue } from "../sqlite.ts";
import type { TreeRow } from "./walk-tree.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** Whether it has the number of the row, and nothing is stored in the row itself. */
  readonly isRowId: boolean;
}

/** How the rows of a table are stored. */
export interface TableShape {
  readonly name: string;
  readonly hasRowIds: boolean;
  /** In the order in which they are stored. */
  readonly columns: readonly Column[];
}

const columnRow = row({ name: text, type: text, notnull: integer, pk: integer });
const listRow = row({ wr: integer });

export function shapeOf(database: Database, name: string): TableShape {
  const hasRowIds =
    database.query("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", listRow).get(name)?.wr === 0;
  const found = database
    .query('SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid', columnRow)
    .all(name);
  const keys = found.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  const alias = hasRowIds && keys.length === 1 && keys[0]?.type.toUpperCase() === "INTEGER" ? keys[0].name : null;
  // Tables without row numbers store their key first.
  const ordered = hasRowIds ? found : [...keys, ...found.filter(({ pk }) => pk === 0)];
  const columns = ordered.map((one) => ({
    ...{ name: one.name, type: one.type.toUpperCase(), isRowId: one.name === alias },
    isNullable: one.notnull === 0 && (hasRowIds || one.pk === 0),
  }));
  return { name, hasRowIds, columns };
}

/** Whether a row can be one of this table. A row that was written before a column was added is shorter. */
export const isOfShape = ({ columns, hasRowIds }: TableShape, { rowId, values }: TreeRow): boolean =>
  hasRowIds === (rowId !== null) &&
  values.length > 0 &&
  values.length <= columns.length &&
  columns.slice(0, values.length).every((column, nth) => isOfColumn(column, values[nth] ?? null));

function isOfColumn({ type, isNullable, isRowId }: Column, value: SqlValue): boolean {
  if (isRowId) return value === null;
  if (value === null) return isNullable;
  if (type === "TEXT") return typeof value === "string";
  if (type === "BLOB") return value instanceof Uint8Array;
  if (type === "REAL") return typeof value === "number" || typeof value === "bigint";
  if (type === "INTEGER") return typeof value === "bigint" || Number.isSafeInteger(value);
  return true;
}

/** Inserts a row with its number. A column that the row does not have yet gets its default. */
export function rowInserter(database: Database, { name, hasRowIds, columns }: TableShape): (row: TreeRow) => void {
  const quoted = (one: string) => `"${one}"`;
  const hasAlias = columns.some(({ isRowId }) => isRowId);
  return ({ rowId, values }) => {
    const used = columns.slice(0, values.length);
    const names = used.map((column) => quoted(column.name));
    const given = used.map((column, nth) => (column.isRowId ? rowId : (values[nth] ?? null)));
    if (hasRowIds && !hasAlias) {
      names.push("rowid");
      given.push(rowId);
    }
    const places = names.map(() => "?").join(", ");
    database.statement(`INSERT INTO ${quoted(name)} (${names.join(", ")}) VALUES (${places})`).run(...given);
  };
}

const indexColumnRow = row({ seqno: integer, name: nullable(text) });

/** How many values an entry of an index has: its columns, and the number or the key of the row. */
export const indexLength = (database: Database, index: string): number =>
  database.query("SELECT seqno, name FROM pragma_index_xinfo(?)", indexColumnRow).all(index).length;
