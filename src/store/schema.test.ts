import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../test/support/floor/embedded-store.ts";
import { line } from "../../test/support/floor/floor.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { readWanted } from "./changes/wanted-table.ts";
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

test("an order changed by the tables of before keeps its first content as one that was served", () => {
  const database = openDatabase(":memory:");
  const content = (amount: number) =>
    JSON.stringify(workOrder({ number: "N", requests: [line("A", amount, { requestExternalIdentifier: "1" })] }));
  migrate(database, 4);
  database
    .statement(
      `INSERT INTO work_order (number, number_folded, state, due_at, received_at, json, original_json)
       VALUES ('N', 'n', 'waiting', 1, 1, ?, ?)`,
    )
    .run(content(2), content(5));
  database.exec(`INSERT INTO change (entry_id, order_number, target, state, watched, filed_at, receipt)
    VALUES ('evt_1', 'N', 2, 'applied', 0, 1, 'open'), ('evt_2', 'N', 2, 'applied', 0, 1, 'sent')`);
  migrate(database);
  const found = readWanted(database)("N");
  expect(found?.served).toEqual([[{ externalId: "1", itemNumber: "A", lot: null, unit: 0, amount: 5 }]]);
  expect(found?.wanted.lines).toEqual([{ externalId: "1", itemNumber: "A", lot: null, amount: 2, seq: 0 }]);
  expect(database.statement("SELECT receipt FROM change ORDER BY id").all()).toEqual([
    { receipt: "due" },
    { receipt: "sent" },
  ]);
});

test("what was wanted and served of an order before its long texts stood apart is read as it was", () => {
  const database = openDatabase(":memory:");
  const served = (amount: number) => [{ externalId: "1", itemNumber: "A", lot: null, unit: 0, amount }];
  const pushed = JSON.stringify(workOrder({ number: "N", requests: [line("A", 3)] }));
  // A member that the contract does not know keeps every digit.
  const exact = pushed.replace("{", '{"own":12345678901234567890.5,');
  const lines = [{ externalId: "1", itemNumber: "A", lot: null, amount: 3, seq: 7, cut: 2 }];
  const wanted = `{"pushed":${exact},"gone":[],"lines":${JSON.stringify(lines)},"cancelledSeq":5}`;
  migrate(database, 8);
  database
    .statement(
      "INSERT INTO wanted (order_number, wanted, served, offered, offered_at) VALUES ('N', ?, ?, '[[0,3]]', 9)",
    )
    .run(wanted, JSON.stringify([served(5), served(4)]));
  database.exec("INSERT INTO step_amounts (order_number, entry_id, lines) VALUES ('N', 'evt_1', '[]')");
  migrate(database);
  const found = readWanted(database)("N");
  expect(found?.served).toEqual([served(5), served(4)]);
  expect(JSON.stringify(found?.wanted.pushed)).toBe(exact);
  const { cut: shortPicked, ...first } = lines[0] ?? {};
  expect(found?.wanted).toMatchObject({ gone: [], lines: [{ ...first, shortPicked }], cancelledSeq: 5 });
  expect(database.statement("SELECT offered, offered_at, doubtful FROM wanted").all()).toEqual([
    { offered: "[[0,3]]", offered_at: 9, doubtful: 0 },
  ]);
  expect(database.statement("SELECT whole FROM step_amounts").all()).toEqual([{ whole: 1 }]);
});
