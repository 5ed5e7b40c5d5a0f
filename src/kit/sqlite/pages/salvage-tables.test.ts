import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase } from "../sqlite.ts";
import { salvageTables } from "./salvage-tables.ts";

/** Where the first page says how many pages there are. */
const pageCountAt = 28;

function written(sql: string) {
  const folder = temporaryFolder();
  const file = join(folder, "some.db");
  const database = openDatabase(file);
  database.exec(sql);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return { file, target: join(folder, "salvaged.db") };
}

const rowsIn = (file: string, sql: string) => {
  const database = openDatabase(file);
  try {
    return database.statement(sql).all();
  } finally {
    database.close();
  }
};

test("a number of pages that was damaged reserves no memory", () => {
  const { file, target } = written("CREATE TABLE one (id INTEGER PRIMARY KEY); INSERT INTO one VALUES (1), (2);");
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.from([0xff, 0xff, 0xff, 0xff]), 0, 4, pageCountAt);
  closeSync(handle);
  expect(salvageTables(file, new Set(), target)).toEqual({ holed: [], leftOutPages: 0 });
  expect(rowsIn(target, "SELECT count(*) AS count FROM one")).toEqual([{ count: 2 }]);
});

test("tables that SQLite keeps for itself are left to it", () => {
  const { file, target } = written(
    "CREATE TABLE one (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT); INSERT INTO one (name) VALUES ('a'), ('b');",
  );
  expect(salvageTables(file, new Set(), target)).toEqual({ holed: [], leftOutPages: 0 });
  expect(rowsIn(target, "SELECT name FROM one")).toEqual([{ name: "a" }, { name: "b" }]);
});

test("pages that lead ever deeper end the way at the depth of SQLite itself", () => {
  const { file, target } = written(
    `CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT);
     WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200)
     INSERT INTO one SELECT n, hex(zeroblob(1500)) FROM number;`,
  );
  // Each page of the table leads to the next one only.
  const pages = 90;
  const handle = openSync(file, "r+");
  for (let page = 2; page < pages; page++) {
    const bytes = Buffer.alloc(4096);
    bytes[0] = 5;
    bytes.writeUInt32BE(page + 1, 8);
    writeSync(handle, bytes, 0, bytes.length, (page - 1) * bytes.length);
  }
  closeSync(handle);
  const result = salvageTables(file, new Set(), target);
  expect(result).toMatchObject({ holed: [{ name: "one", holes: [{ after: null, upTo: null }] }] });
});
