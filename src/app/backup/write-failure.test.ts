import { mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { missingForSmallDisk } from "../../../chaos/harness/disks/machine-rights.ts";
import { runTool, unmountWhenFree } from "../../../chaos/harness/disks/tools.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { StoreUnusable, storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { restore } from "./restore-backup.ts";
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

test.each([
  ["a backup that may not be read", new Error("this user may not read /backup/x", { cause: systemError("EACCES") })],
  [
    "a PostgreSQL whose socket may not be used",
    storeUnusable(systemError("EACCES"), "postgres://me@%2Frun%2Fpostgresql/crossdock"),
  ],
  ["an error that already says what to do", new StoreUnusable("no room", "make some", fullError())],
])("%s stays what it is, whatever its cause", (_, error) => {
  expect(writeFailure(error, "/var/lib/crossdock")).toBe(error);
});

test("a lock file that SQLite cannot write for want of space is named with the folder", () => {
  const error = new Error("The lock file x cannot be used", { cause: fullError() });
  expect(writeFailure(error, "/backup/x")).toMatchObject({ message: "there is not enough space for /backup/x" });
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

test("of two backups into one folder the second is refused, and the first is whole", async () => {
  const dataFolder = temporaryFolder();
  await (await openSqliteJournal({ databaseFile: join(dataFolder, "crossdock.db") })).close();
  const parent = temporaryFolder();
  const target = join(parent, "saved");
  const first = backUp({ dataFolder, target, now: 0 });
  await expect(backUp({ dataFolder, target, now: 0 })).rejects.toThrow(`another backup is writing to ${target}`);
  expect((await first)?.files).toContain("crossdock.db");
  expect(readdirSync(parent)).toEqual(["saved"]);
  await restore(join(parent, "restored"), target);
});

/**
 * The space of removed files that is still in use. A program that another test of this process is just starting has all
 * open files of the process for a moment, also those that are removed meanwhile.
 */
function heldBytes(disk: string): number {
  const { blocks, bfree, bsize } = statfsSync(disk);
  const names = readdirSync(disk, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => statSync(join(disk, name))).filter((found) => found.isFile());
  return (blocks - bfree) * bsize - files.reduce((sum, file) => sum + file.blocks * 512, 0);
}

test("wherever the disk becomes full, a backup and a restore say so, leave what was there, and succeed later", async ({
  skip,
}) => {
  const missing = missingForSmallDisk();
  if (missing !== null) return skip(missing);
  const dataFolder = temporaryFolder();
  await (await openSqliteJournal({ databaseFile: join(dataFolder, "crossdock.db") })).close();
  const saved = join(temporaryFolder(), "saved");
  await backUp({ dataFolder, target: saved, now: 0 });
  const disk = temporaryFolder();
  runTool("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk);
  onTestFinished(() => unmountWhenFree(disk));
  const outcomeOf = async (work: Promise<unknown>) =>
    await work.then(
      () => "done",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  const found = new Set<string>();
  const filler = join(disk, "filler");
  for (let free = 0; free <= 1024; free += 12) {
    await expect.poll(() => heldBytes(disk)).toBe(0);
    writeFileSync(filler, Buffer.alloc((1024 - free) * 1024, 1));
    const target = join(disk, "backup");
    found.add(await outcomeOf(backUp({ dataFolder, target, now: 0 })));
    rmSync(target, { recursive: true, force: true });
    expect(readdirSync(disk)).toEqual(["filler"]);
    const restored = join(disk, "data");
    found.add(await outcomeOf(restore(restored, saved)));
    rmSync(filler);
    await expect.poll(() => heldBytes(disk)).toBe(0);
    expect(await outcomeOf(restore(restored, saved))).toBe("done");
    rmSync(restored, { recursive: true });
  }
  const full = (name: string) => `there is not enough space for ${join(disk, name)}`;
  expect([...found].toSorted()).toEqual(["done", full("backup"), full("data")].toSorted());
});
