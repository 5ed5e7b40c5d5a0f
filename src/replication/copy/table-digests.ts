import { createHash, type Hash } from "node:crypto";
import { integer, row as rowOf, text } from "../../kit/sqlite/row.ts";
import { openDatabase, type SqlValue } from "../../kit/sqlite/sqlite.ts";

/** A digest of a table's content: two files with the same digests have the same rows. */
export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

const tableRow = rowOf({ name: text });
const keyRow = rowOf({ name: text, pk: integer });

/** The tables that each copy has for itself: its position, and whether its owner may be ahead. */
export const copyTables: readonly string[] = ["copy_position", "copy_owned"];

/** Returns the digest of every table except those of the copy itself. */
export function tableDigests(file: string): readonly TableDigest[] {
  const database = openDatabase(file, { readOnly: true, bigIntegers: true });
  const layout = openDatabase(file, { readOnly: true });
  try {
    const tables = layout
      .query(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        tableRow,
      )
      .all()
      .filter(({ name }) => !copyTables.includes(name));
    return tables.map(({ name }) => {
      const keys = layout
        .query(`SELECT name, pk FROM pragma_table_info(${quoted(name, "'")}) WHERE pk > 0 ORDER BY pk`, keyRow)
        .all()
        .map((column) => quoted(column.name, '"'));
      const hash = createHash("sha256");
      let rows = 0;
      // The count of parameters is given, because a name may contain a question mark.
      const all = database.statement(`SELECT * FROM ${quoted(name, '"')} ORDER BY ${keys.join(", ") || "rowid"}`, 0);
      for (const values of all.iterate()) {
        rows++;
        for (const value of values) add(hash, value);
      }
      return { table: name, rows, sha256: hash.digest("hex") };
    });
  } finally {
    layout.close();
    database.close();
  }
}

/** Returns one digest for all tables. */
export function digestOfAll(tables: readonly TableDigest[]): Buffer {
  return createHash("sha256").update(JSON.stringify(tables)).digest();
}

/** Adds a value with its type and length, so that no two lists of values give the same bytes. */
function add(hash: Hash, value: SqlValue): void {
  if (value === null) hash.update("0;");
  else if (typeof value === "string") hash.update(`t${Buffer.byteLength(value)};`).update(value);
  else if (value instanceof Uint8Array) hash.update(`b${value.length};`).update(value);
  else hash.update(typeof value === "bigint" ? `i${value};` : `r${value};`);
}

const quoted = (name: string, mark: string) => mark + name.replaceAll(mark, mark + mark) + mark;
