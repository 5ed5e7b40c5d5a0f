import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { NewEntry } from "../../entry.ts";
import { JournalDamaged } from "../../journal.ts";
import { openSqliteJournal } from "../open-sqlite-journal.ts";
import { markFileOf } from "./journal-mark.ts";

const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "out", topic: "confirmStep", lanes: [`wo:${nth % 20}`] },
  ...{ body: JSON.stringify({ nth, text: "x".repeat(300) }), payload: null, acceptLanguage: null, receivedAt: 1000 },
});

const parts = ["", "-wal", "-shm", ".witness", ".sums", ".answers"];

/** A journal as kill -9 leaves it: its files are copied while it is open. */
async function killedAfter(entries: number) {
  const living = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile: living });
  for (let nth = 0; nth < entries; nth++) await journal.append([entry(nth)]);
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  for (const part of parts) if (existsSync(living + part)) copyFileSync(living + part, databaseFile + part);
  copyFileSync(markFileOf(living), markFileOf(databaseFile));
  await journal.close();
  return { databaseFile };
}

async function reopened(databaseFile: string) {
  const journal = await openSqliteJournal({ databaseFile });
  onTestFinished(() => journal.close());
  return { notices: journal.notices, count: () => journal.read.list({ limit: 1000 }).length };
}

const damagesOf = async (databaseFile: string): Promise<string> => {
  const error = await openSqliteJournal({ databaseFile }).then(
    async (journal) => {
      await journal.close();
      return null;
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(JournalDamaged);
  return error instanceof JournalDamaged ? error.damages.join("\n") : "";
};

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x08;
  writeFileSync(file, bytes);
}

test("after a kill everything is there and nothing is said", async () => {
  const { databaseFile } = await killedAfter(60);
  const { notices, count } = await reopened(databaseFile);
  expect(count()).toBe(60);
  expect(notices).toEqual([]);
});

test("a byte flipped in the log refuses the start and names the entries that are missing", async () => {
  const { databaseFile } = await killedAfter(60);
  const log = `${databaseFile}-wal`;
  flip(log, Math.floor(statSync(log).size / 2));
  expect(await damagesOf(databaseFile)).toMatch(/entries \d+ to 60 are missing/);
});

test("a log that was halved or deleted refuses the start and changes nothing", async () => {
  const { databaseFile } = await killedAfter(60);
  const log = `${databaseFile}-wal`;
  const before = readFileSync(databaseFile);
  truncateSync(log, Math.floor(statSync(log).size / 2));
  expect(await damagesOf(databaseFile)).toContain("to 60 are missing");
  rmSync(log);
  expect(await damagesOf(databaseFile)).toContain("-wal is missing");
  expect(readFileSync(databaseFile).equals(before)).toBe(true);
});

test("a log without its database refuses the start and is not touched, whether or not the files beside it are there", async () => {
  for (const isAlone of [false, true]) {
    const { databaseFile } = await killedAfter(60);
    const log = `${databaseFile}-wal`;
    const before = readFileSync(log);
    rmSync(databaseFile);
    rmSync(`${databaseFile}-shm`);
    const others = [...parts.slice(3).map((part) => databaseFile + part), markFileOf(databaseFile)];
    if (isAlone) for (const file of others) rmSync(file);
    expect(await damagesOf(databaseFile)).toMatch(/crossdock\.db is missing.*crossdock\.db-wal/);
    expect(readFileSync(log).equals(before)).toBe(true);
    writeFileSync(databaseFile, "");
    expect(await damagesOf(databaseFile)).toMatch(/crossdock\.db is empty.*crossdock\.db-wal/);
    expect(readFileSync(log).equals(before)).toBe(true);
    rmSync(databaseFile);
    // A log that cannot be read may be the rest of a journal, too.
    writeFileSync(log, "damaged");
    expect(await damagesOf(databaseFile)).toContain("crossdock.db is missing");
    expect(existsSync(databaseFile)).toBe(false);
  }
});

test("a byte changed in the middle of a text is found, whatever SQLite thinks of it", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  for (let nth = 0; nth < 30; nth++) await journal.append([entry(nth)]);
  await journal.close();
  flip(databaseFile, readFileSync(databaseFile).indexOf("xxxxxxxxxx") + 5);
  expect(await damagesOf(databaseFile)).toContain("1 page not as written");
});

test("an older database put in the place of the newer one is not started with", async () => {
  const old = join(temporaryFolder(), "copy.db");
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  await journal.append([entry(1)]);
  await journal.backup(old);
  await journal.append([entry(2), entry(3)]);
  await journal.close();
  copyFileSync(old, databaseFile);
  await expect(openSqliteJournal({ databaseFile })).rejects.toThrow(JournalDamaged);
  rmSync(databaseFile);
  expect(await damagesOf(databaseFile)).toContain("is missing");
});

test("damaged side files cost nothing but a notice", async () => {
  for (const part of [".witness", ".sums", ".answers"]) {
    const { databaseFile } = await killedAfter(10);
    // Closing folds the log, so that there are sums to damage.
    await (await openSqliteJournal({ databaseFile })).close();
    if (part === ".answers") truncateSync(databaseFile + part, 100);
    else flip(databaseFile + part, 9);
    const first = await openSqliteJournal({ databaseFile });
    expect(first.notices.join("\n")).toContain(`crossdock.db${part}`);
    await first.close();
    rmSync(databaseFile + part);
    const { notices, count } = await reopened(databaseFile);
    expect(notices.join("\n")).toContain(`crossdock.db${part} is missing`);
    expect(count()).toBe(10);
  }
});

test("a second instance is kept away also where the lock file was deleted", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  onTestFinished(() => journal.close());
  await journal.append([entry(1)]);
  rmSync(`${databaseFile}.lock`);
  await expect(openSqliteJournal({ databaseFile })).rejects.toThrow("Another program is using");
  await journal.append([entry(2)]);
  expect(journal.read.list({ limit: 10 })).toHaveLength(2);
});
