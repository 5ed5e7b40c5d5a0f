import type { Columns, RowCodec } from "../../../src/kit/sqlite/row.ts";
import type { Database, SqlQuery, SqlRow, SqlValue } from "../../../src/kit/sqlite/sqlite.ts";

/** A database that records how many bytes the largest result of one of its queries had. */
export function readSizes(database: Database): { readonly database: Database; readonly largest: () => number } {
  let largest = 0;
  const note = (rows: readonly SqlRow[]) => {
    const size = rows.flatMap(Object.values).reduce((sum: number, value: SqlValue) => sum + sizeOf(value), 0);
    largest = Math.max(largest, size);
  };
  const query = <Shape extends Columns>(sql: string, codec: RowCodec<Shape>) => {
    const own = database.query(sql, codec);
    const watched: SqlQuery<SqlRow> = {
      get: (...values) => {
        const row = own.get(...values) as SqlRow | undefined;
        note(row === undefined ? [] : [row]);
        return row;
      },
      all: (...values) => {
        const rows = own.all(...values) as SqlRow[];
        note(rows);
        return rows;
      },
    };
    return watched as SqlQuery<unknown> as typeof own;
  };
  return { database: { ...database, query }, largest: () => largest };
}

function sizeOf(value: SqlValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 0;
}
