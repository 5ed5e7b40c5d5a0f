import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase, type SqlValue } from "../sqlite.ts";
import { openPageFile } from "./page-file.ts";
import { walkTree } from "./walk-tree.ts";

const wholes = [
  0,
  1,
  -1,
  127,
  128,
  300,
  -70_000,
  2 ** 31,
  -(2 ** 40),
  2 ** 47,
  2 ** 53 - 1,
  -(2n ** 60n),
  2n ** 63n - 1n,
];
const others: SqlValue[] = [
  null,
  0.5,
  -1e-300,
  "",
  "größe ✓",
  "x".repeat(20_000),
  Uint8Array.of(0, 255, 7),
  new Uint8Array(9_000),
];

test("rows that SQLite wrote are read from their pages with every kind of value, also long ones", () => {
  const file = join(temporaryFolder(), "some.db");
  const database = openDatabase(file);
  database.exec("CREATE TABLE one (id INTEGER PRIMARY KEY, value ANY) STRICT");
  database.exec("CREATE TABLE two (value ANY PRIMARY KEY) STRICT, WITHOUT ROWID");
  const values = [...wholes, ...others];
  const ids = [1, 127, 128, 16_384, 2 ** 31, 2 ** 48, 2 ** 49, 2 ** 52];
  for (const [nth, value] of values.entries()) {
    const id = (ids[nth % ids.length] ?? 0) + 2 * nth;
    database
      .statement("INSERT INTO one (id, value) VALUES (?, ?)")
      .run(id, typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value);
    if (value !== null) database.statement("INSERT INTO two (value) VALUES (?)").run(value);
  }
  const stored = database.statement("SELECT id, typeof(value), length(value) FROM one ORDER BY id");
  const expected = stored.all().map((one) => Object.values(one));
  const roots = database
    .statement("SELECT rootpage AS root FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  database.close();
  const pages = openPageFile(file, new Set());
  if (pages === null) throw new Error("the first page cannot be read");
  const rowsOf = (root: unknown) =>
    [...walkTree(pages, Number(root))].map((part) => {
      if ("hole" in part) throw new Error("an undamaged table has no hole");
      return part.row;
    });
  const [one = [], two = []] = roots.map(({ root }) => rowsOf(root));
  pages.close();
  const typeOf = (value: SqlValue | undefined) =>
    value === null || value === undefined
      ? "null"
      : value instanceof Uint8Array
        ? "blob"
        : typeof value === "string"
          ? "text"
          : Number.isInteger(Number(value)) && Math.abs(Number(value)) < 2 ** 64
            ? "integer"
            : "real";
  expect(one.map(({ rowId, values: [, value] }) => [rowId, typeOf(value)])).toEqual(
    expected.map(([id, type]) => [id, type]),
  );
  const found = one.map(({ values: [, value] }) => value);
  for (const value of values) expect(found).toContainEqual(value);
  expect(two).toHaveLength(values.length - 1);
});
