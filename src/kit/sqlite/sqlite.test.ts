import { expect, test } from "vitest";
import { openDatabase } from "./sqlite.ts";
import { wholeTransaction } from "./whole-transaction.ts";

test("a row has its columns by name, and no row is undefined", () => {
  const database = openDatabase(":memory:");
  const select = database.statement("SELECT ? AS first, NULL AS second WHERE ?");
  expect(select.get(7, 1)).toEqual({ first: 7, second: null });
  expect(select.all("x", 1)).toEqual([{ first: "x", second: null }]);
  expect(select.get(7, 0)).toBeUndefined();
});

test("a column that a table gets later is read by its name too", () => {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE thing (a); INSERT INTO thing VALUES (1)");
  const select = database.statement("SELECT * FROM thing");
  expect(select.get()).toEqual({ a: 1 });
  database.exec("ALTER TABLE thing ADD COLUMN b DEFAULT 2");
  expect(select.get()).toEqual({ a: 1, b: 2 });
});

test("a value that the driver would silently misread is refused", () => {
  const database = openDatabase(":memory:");
  const select = database.statement("SELECT ? AS a, ? AS b");
  expect(() => select.get(1)).toThrow(/2 values expected, 1 given/);
  // As JavaScript without types could call it.
  expect(() => select.get({ a: 1 } as never, 2)).toThrow(/an object is not an SQL value/);
});

test("the same text with another number of values is another statement", () => {
  const database = openDatabase(":memory:");
  database.statement("SELECT ? AS a", 0).columns();
  expect(database.statement("SELECT ? AS a", 1).get("x")).toEqual({ a: "x" });
  expect(database.statement("SELECT ? AS a").get("y")).toEqual({ a: "y" });
  expect(() => database.statement("SELECT ? AS a", 0).get("x")).toThrow(/0 values expected, 1 given/);
});

test("a transaction that fails because the disk is full reports that, and leaves nothing open", () => {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE thing (a TEXT); PRAGMA max_page_count = 2");
  const insert = database.statement("INSERT INTO thing VALUES (?)");
  expect(() => wholeTransaction(database, () => void insert.run("x".repeat(10_000)))).toThrow(
    "database or disk is full",
  );
  expect(database.isInTransaction()).toBe(false);
  expect(() =>
    wholeTransaction(database, () => {
      insert.run("short");
      throw new Error("of the work");
    }),
  ).toThrow("of the work");
  expect(database.statement("SELECT a FROM thing").all()).toEqual([]);
});
