import { copyFileSync, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { integer, row } from "./row.ts";
import { type Database, openDatabase } from "./sqlite.ts";
import { foldsEnded, syncLogOf } from "./synced-log.ts";

const countRow = row({ found: integer });
const count = (database: Database) => database.query("SELECT count(*) AS found FROM note", countRow).get()?.found;

function opened(syncFile?: (file: string) => Promise<boolean>) {
  const file = join(temporaryFolder(), "notes.db");
  const database = openDatabase(file);
  database.exec("CREATE TABLE note (n INTEGER PRIMARY KEY, text TEXT) STRICT");
  const log = syncLogOf(file, database, syncFile);
  const insert = database.statement("INSERT INTO note (text) VALUES (?)");
  const logBytes = () => (existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0);
  const write = (bytes: number) => insert.run("x".repeat(bytes));
  const close = () => {
    log.close();
    database.close();
  };
  onTestFinished(() => {
    if (database.isOpen()) database.close();
  });
  return { ...log, file, database, write, logBytes, close };
}

test("a long log is folded into the file and cut, while changes go on", async () => {
  const { file, database, write, logBytes, synced, close } = opened();
  let longest = 0;
  // Four times the length at which it is folded.
  for (let n = 1; n <= 320; n++) {
    write(100_000);
    await synced();
    longest = Math.max(longest, logBytes());
  }
  await vi.waitFor(() => expect(logBytes()).toBeLessThan(9 * 1024 * 1024), { timeout: 30_000 });
  expect(statSync(file).size).toBeGreaterThan(20 * 100_000);
  expect(count(database)).toBe(320);
  close();
  const again = openDatabase(file, { readOnly: true });
  expect(count(again)).toBe(320);
  again.close();
});

test("a log of changes that nobody waits for is kept short as well", async () => {
  const { database, write, logBytes, keepShort, close } = opened();
  for (let n = 1; n <= 100; n++) write(100_000);
  expect(logBytes()).toBeGreaterThan(8 * 1024 * 1024);
  keepShort();
  await vi.waitFor(() => expect(logBytes()).toBe(0), { timeout: 30_000 });
  write(10);
  expect(count(database)).toBe(101);
  close();
});

test("the log is cut even if changes never pause", { timeout: 60_000 }, async () => {
  const { database, write, logBytes, keepShort, close } = opened();
  let written = 0;
  for (let before = 0; logBytes() >= before; ) {
    before = logBytes();
    write(10_000);
    written++;
    keepShort();
    await nextTurn();
  }
  expect(count(database)).toBe(written);
  close();
});

test("after a sync has failed, changes count as synced only when all of them are in the file", async () => {
  let isBroken = true;
  const { file, write, logBytes, synced, close } = opened(async () => {
    if (isBroken) throw new Error("EIO");
    return true;
  });
  write(10);
  await expect(synced()).rejects.toThrow("EIO");
  // The system calls the lost pages of the log written now: its next sync succeeds.
  isBroken = false;
  write(10);
  const reader = openDatabase(file, { readOnly: true });
  reader.exec("BEGIN");
  expect(count(reader)).toBe(2);
  await expect(synced()).rejects.toThrow("somebody reads the file");
  reader.close();
  await synced();
  expect(logBytes()).toBe(0);
  const alone = join(temporaryFolder(), "notes.db");
  copyFileSync(file, alone);
  const found = openDatabase(alone);
  expect(count(found)).toBe(2);
  found.close();
  close();
});

test("a fold that outlives its database has ended when the files may be opened again", async () => {
  const { file, database, write, logBytes, keepShort, close } = opened();
  for (let n = 1; n <= 100; n++) write(100_000);
  keepShort();
  const mode = database.query("PRAGMA synchronous", row({ synchronous: integer }));
  while (mode.get()?.synchronous === 0) await nextTurn();
  close();
  await foldsEnded(dirname(file));
  // The thread had the last handle.
  expect(logBytes()).toBe(0);
  const again = openDatabase(file, { readOnly: true });
  expect(count(again)).toBe(100);
  again.close();
});

test("a log that somebody reads is not cut under the reader, and changes go on", async () => {
  const { file, database, write, logBytes, synced, close } = opened();
  write(10);
  const reader = openDatabase(file, { readOnly: true });
  reader.exec("BEGIN");
  expect(count(reader)).toBe(1);
  for (let n = 1; n <= 100; n++) write(100_000);
  await synced();
  await synced();
  expect(count(reader)).toBe(1);
  reader.exec("COMMIT");
  reader.close();
  // Tried again when it has grown by as much once more.
  for (let n = 1; n <= 100; n++) write(100_000);
  await vi.waitFor(
    async () => {
      await synced();
      expect(logBytes()).toBeLessThan(8 * 1024 * 1024);
    },
    { timeout: 30_000 },
  );
  expect(count(database)).toBe(201);
  close();
});

test("after a kill at any moment the file has every change that was made", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("write", "write long", "sync"), { maxLength: 40 }), async (steps) => {
      const { file, write, synced, close } = opened();
      let written = 0;
      for (const step of steps) {
        if (step === "sync") await synced();
        else {
          write(step === "write" ? 10 : 1_000_000);
          written++;
        }
      }
      const killed = join(temporaryFolder(), "notes.db");
      for (const part of ["", "-wal"]) if (existsSync(file + part)) copyFileSync(file + part, killed + part);
      const found = openDatabase(killed);
      expect(count(found)).toBe(written);
      found.close();
      close();
    }),
    { numRuns: 30 },
  );
});

test("a change is synced once for all who wait, and again for later changes", async () => {
  const { write, synced, close } = opened();
  write(10);
  const first = synced();
  expect(synced()).toBe(first);
  await first;
  expect(synced()).not.toBe(first);
  await synced();
  close();
  await synced();
});
