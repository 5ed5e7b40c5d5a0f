import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import type { Log } from "../log.ts";
import { integer, row } from "./row.ts";
import { openSideDatabase } from "./side-database.ts";
import { openDatabase } from "./sqlite.ts";

/** A file as a killed process leaves it: the last changes are only in the log. */
function killedWith(rows: number) {
  const folder = temporaryFolder();
  const living = join(folder, "living.db");
  const database = openDatabase(living, { isPrivate: true });
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE note (n INTEGER, text TEXT) STRICT");
  const insert = database.statement("INSERT INTO note (n, text) VALUES (?, ?)");
  for (let n = 0; n < rows; n++) insert.run(n, "x".repeat(500));
  const file = join(folder, "notes.db");
  for (const part of ["", "-wal", "-shm"]) copyFileSync(living + part, file + part);
  database.close();
  const logged: string[] = [];
  const note = (fields: object, text: string) => logged.push(`${text} ${JSON.stringify(fields)}`);
  const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note };
  const open = () => {
    const opened = openSideDatabase(
      { name: basename(file), withoutIt: "polls begin anew", createTables: () => {} },
      { dataFolder: dirname(file), log },
    );
    const count = () => opened.query("SELECT count(*) AS found FROM note", row({ found: integer })).get()?.found;
    return { opened, count };
  };
  return { file, logged, open };
}

test("a side file that is left after a kill is opened without a warning", () => {
  const { logged, open } = killedWith(20);
  const { opened, count } = open();
  expect(count()).toBe(20);
  opened.close();
  expect(logged).toEqual([]);
});

test("a side file whose log was cut off, flipped or removed says that changes are gone", () => {
  const spoil: Record<string, (log: string) => void> = {
    cut: (log) => truncateSync(log, Math.floor(statSync(log).size / 2)),
    flipped: (log) => {
      const bytes = readFileSync(log);
      bytes[1000] = (bytes[1000] ?? 0) ^ 0x10;
      writeFileSync(log, bytes);
    },
    removed: (log) => rmSync(log),
  };
  for (const [how, damage] of Object.entries(spoil)) {
    const { file, logged, open } = killedWith(20);
    damage(`${file}-wal`);
    open().opened.close();
    expect(logged.join("\n"), how).toContain("has lost its last changes");
    expect(logged.join("\n"), how).toContain("polls begin anew");
  }
});

test("a side file that was deleted or emptied is created again, and the log says so", () => {
  const spoil: Record<string, (file: string) => void> = { deleted: rmSync, emptied: (file) => truncateSync(file) };
  for (const [how, damage] of Object.entries(spoil)) {
    const { file, logged, open } = killedWith(2);
    open().opened.close();
    damage(file);
    open().opened.close();
    expect(logged.join("\n"), how).toContain("is missing; an empty one was created");
    expect(logged.join("\n"), how).toContain("polls begin anew");
  }
});

test("a side file that is emptied after a kill is missed, though its log is still there", () => {
  const { file, logged, open } = killedWith(2);
  writeFileSync(join(dirname(file), "opened-files"), `${basename(file)}\n`);
  truncateSync(file);
  open().opened.close();
  expect(logged.join("\n")).toContain("is missing; an empty one was created");
});

test("a kill while a side file is created for the first time is no loss, and nothing is said", () => {
  const { file, logged, open } = killedWith(0);
  for (const part of ["-wal", "-shm"]) rmSync(file + part);
  writeFileSync(file, "");
  open().opened.close();
  expect(logged).toEqual([]);
});

test("a damaged side file is renamed and created again, and the log says so", () => {
  const { file, logged, open } = killedWith(2);
  for (const part of ["-wal", "-shm"]) rmSync(file + part);
  writeFileSync(file, "this is no database, and never was one".repeat(200));
  const { opened } = open();
  expect(opened.statement("SELECT count(*) AS tables FROM sqlite_schema").get()).toEqual({ tables: 0 });
  opened.close();
  expect(readFileSync(`${file}.damaged-1`, "utf8")).toContain("never was one");
  expect(logged.join("\n")).toContain("renamed and an empty one was created");
});

testIf(process.platform !== "win32")("a private database and its log can be read by their owner only", () => {
  const file = join(temporaryFolder(), "own.db");
  writeFileSync(file, "", { mode: 0o644 });
  const database = openDatabase(file, { isPrivate: true });
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE one (n INTEGER) STRICT");
  for (const part of ["", "-wal", "-shm"]) expect(statSync(file + part).mode & 0o777).toBe(0o600);
  database.close();
});
