import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { backUp } from "./write-backup.ts";
import { writeFailure } from "./write-failure.ts";

function fullError(): unknown {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE thing (a TEXT); PRAGMA max_page_count = 2");
  try {
    return database.statement("INSERT INTO thing VALUES (?)").run("x".repeat(10_000));
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
}
const systemError = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ["a full disk", systemError("ENOSPC"), "there is not enough space for /backup/x"],
  ["a full disk, noticed by SQLite", fullError(), "there is not enough space for /backup/x"],
  ["a disk that is read-only", systemError("EROFS"), "may not write to /backup/x, or its disk is read-only"],
  ["a folder of another user", systemError("EACCES"), "may not write to /backup/x"],
])("%s is named with the folder, and what to do", (_, error, text) => {
  expect(writeFailure(error, "/backup/x")).toMatchObject({
    ...{ message: expect.stringContaining(text), next: expect.stringContaining("folder") },
  });
});

test("an error of another kind stays as it is", () => {
  const error = new Error("the journal of the backup is damaged");
  expect(writeFailure(error, "/backup/x")).toBe(error);
});

test("a backup that fails at its last step leaves nothing that takes space", async () => {
  const dataFolder = temporaryFolder();
  await (await openSqliteJournal({ databaseFile: join(dataFolder, "crossdock.db") })).close();
  const parent = temporaryFolder();
  const target = join(parent, "saved");
  mkdirSync(target);
  writeFileSync(join(target, "of somebody else"), "");
  await expect(backUp({ dataFolder, target, now: 0 })).rejects.toThrow("ENOTEMPTY");
  expect(readdirSync(parent)).toEqual(["saved"]);
});
