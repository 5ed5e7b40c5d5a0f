import { expect, test } from "vitest";
import { embeddedStore } from "../../../test/support/embedded-store.ts";
import { migrate } from "./schema.ts";

test("tables that are there already are left as they are", () => {
  const { writer } = embeddedStore();
  writer.statement("INSERT INTO known_order (number, folded) VALUES (?, ?)").run("7", "7");
  migrate(writer);
  expect(writer.statement("SELECT number FROM known_order").all()).toEqual([{ number: "7" }]);
});

test("the tables can be made inside a transaction that is open, and vanish with it", () => {
  const { writer } = embeddedStore();
  writer.exec("BEGIN; DROP TABLE embedded_migration; DROP TABLE known_order; ROLLBACK");
  writer.exec("BEGIN");
  migrate(writer);
  writer.exec("COMMIT");
  expect(writer.statement("SELECT count(*) AS n FROM known_order").get()).toEqual({ n: 0 });
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
