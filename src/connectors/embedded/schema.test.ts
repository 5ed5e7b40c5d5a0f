import { expect, test } from "vitest";
import { embeddedStore } from "../../../test/support/embedded-store.ts";
import { openDatabase } from "../../kit/sqlite.ts";
import { migrate } from "./schema.ts";

test("tables that are there already are left as they are", () => {
  const { writer } = embeddedStore();
  writer.statement("INSERT INTO known_order (number, folded) VALUES (?, ?)").run("7", "7");
  migrate(writer);
  expect(writer.statement("SELECT number FROM known_order").all()).toEqual([{ number: "7" }]);
});

test("inside a transaction that is rolled back no table stays behind", () => {
  const database = openDatabase(":memory:");
  database.exec("BEGIN");
  migrate(database);
  database.exec("ROLLBACK");
  expect(database.statement("SELECT name FROM sqlite_schema").all()).toEqual([]);
});

test("a step that fails leaves no table behind", () => {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE stock (something)");
  expect(() => migrate(database)).toThrow(/stock/);
  expect(database.statement("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "stock" }]);
});

test("data of a newer version is refused instead of being read wrongly", () => {
  const { writer } = embeddedStore();
  writer.statement("INSERT INTO embedded_migration (number) VALUES (?)").run(99);
  expect(() => migrate(writer)).toThrow(/newer version/);
});

test("every table keeps its types, so that a wrong value is an error and not a surprise", () => {
  const { writer } = embeddedStore();
  const loose = writer
    .statement("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
    .all();
  expect(loose).toEqual([]);
});

test("changes that were settled before there were receipts get none, those still watched get theirs", () => {
  const { writer } = embeddedStore();
  writer.exec("DROP INDEX change_receipt_due; DROP INDEX change_receipt_open; ALTER TABLE change DROP COLUMN receipt");
  writer.exec("DROP INDEX change_offered; ALTER TABLE change DROP COLUMN offered_at");
  writer.exec("DROP TABLE indexable_value; DELETE FROM embedded_migration WHERE number >= 2");
  writer.exec(`INSERT INTO change (entry_id, order_number, target, state, watched, filed_at)
    VALUES ('evt_1', 'N', 0, 'applied', 0, 1), ('evt_2', 'N', 0, 'pending', 1, 2)`);
  migrate(writer);
  expect(writer.statement("SELECT receipt FROM change ORDER BY id").all()).toEqual([
    { receipt: "none" },
    { receipt: "open" },
  ]);
});

test("offers of before it was noted when they were made wait from now on", () => {
  const { writer } = embeddedStore();
  writer.exec("DROP INDEX change_offered; ALTER TABLE change DROP COLUMN offered_at");
  writer.exec("DELETE FROM embedded_migration WHERE number >= 4");
  writer.exec(`INSERT INTO change (entry_id, order_number, target, state, watched, offered, filed_at)
    VALUES ('evt_1', 'N', 0, 'pending', 1, 2, 1), ('evt_2', 'N', 0, 'pending', 1, 0, 2)`);
  migrate(writer);
  const [offered, other] = writer.statement("SELECT offered_at AS at FROM change ORDER BY id").all<{ at: number }>();
  expect(offered?.at).toBeGreaterThan(Date.UTC(2026, 0, 1));
  expect(other).toEqual({ at: null });
});
