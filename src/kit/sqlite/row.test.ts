import { expect, expectTypeOf, test } from "vitest";
import { blob, integer, integerOf, nullable, optional, pick, type RowCodec, real, row, text, textOf } from "./row.ts";
import { openDatabase } from "./sqlite.ts";

const thing = row({
  id: integer,
  name: text,
  price: nullable(real),
  picture: nullable(blob),
  state: textOf("new", "old"),
});

function things() {
  const database = openDatabase(":memory:");
  database.exec(
    "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, picture BLOB, state TEXT NOT NULL) STRICT",
  );
  return database;
}

test("rows have the type that their columns say", () => {
  const database = things();
  database.exec("INSERT INTO thing VALUES (1, 'a', 2.5, x'01', 'new'), (2, 'b', NULL, NULL, 'old')");
  const found = database.query("SELECT * FROM thing ORDER BY id", thing).all();
  expect(found.map(({ name, price, state }) => [name, price, state])).toEqual([
    ["a", 2.5, "new"],
    ["b", null, "old"],
  ]);
  expect(database.query("SELECT name FROM thing WHERE id = ?", pick(thing, "name")).get(3)).toBeUndefined();
  expectTypeOf(found).items.toExtend<{ id: number; price: number | null; picture: Uint8Array | null }>();
  expectTypeOf(found).items.toHaveProperty("state").toEqualTypeOf<"new" | "old">();
});

test.each<[string, string, RowCodec, string]>([
  [
    "a column that the codec does not know",
    "SELECT id, name FROM thing",
    row({ id: integer }),
    "name is not in the codec",
  ],
  ["a column that is missing", "SELECT id FROM thing", row({ id: integer, name: text }), "name is missing"],
  ["a column of another type", "SELECT name FROM thing", row({ name: integer }), "name is TEXT, not INTEGER"],
])("%s is refused when the statement is prepared, before there is a row", (_, sql, codec, reason) => {
  expect(() => things().query(sql, codec)).toThrow(`column ${reason}: ${sql}`);
});

test.each<[string, RowCodec, string]>([
  ["SELECT max(id) AS last FROM thing", row({ last: integer }), "null"],
  ["SELECT 'x' AS last", row({ last: integer }), "a string"],
  ["SELECT x'00' AS last", row({ last: nullable(text) }), "a blob"],
  ["SELECT 2 AS last", row({ last: integerOf(0, 1) }), "a number"],
  ["SELECT 'middling' AS last", row({ last: textOf("new", "old") }), "a string"],
])("the first row of %s must hold what the codec says", (sql, codec, held) => {
  expect(() => things().query(sql, codec).get()).toThrow(`column last holds ${held}: ${sql}`);
});

test("a column that was added later may be missing in a table of an earlier version", () => {
  const later = row({ ...thing.columns, colour: optional(nullable(text)) });
  const database = things();
  database.exec("INSERT INTO thing VALUES (1, 'a', NULL, NULL, 'new')");
  expect(database.query("SELECT * FROM thing", later).get()?.colour).toBeUndefined();
  database.exec("ALTER TABLE thing ADD COLUMN colour TEXT");
  expect(database.query("SELECT * FROM thing", later).get()?.colour).toBeNull();
});

test("the same text with another codec is compared with that one, too", () => {
  const database = things();
  database.query("SELECT id FROM thing", pick(thing, "id"));
  expect(() => database.query("SELECT id FROM thing", row({ id: text }))).toThrow("id is INTEGER, not TEXT");
});
