import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import { openKnownRecords } from "../../engine/quarantine/open-known-records.ts";
import { intakeFile } from "../../engine/quarantine/open-quarantine.ts";
import type { NewEntry } from "../../journal/entry.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { silentLog } from "../../kit/log.ts";
import { openSideDatabase } from "../../kit/sqlite/side-database.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { recoverFolder } from "./recover-folder.ts";
import { restore } from "./restore-backup.ts";
import { backUp } from "./write-backup.ts";

const receivedAt = manualClock().now();
const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "in", topic: "workOrders", lanes: [`wo:${nth}`], receivedAt: receivedAt + nth },
  ...{ body: JSON.stringify({ nth }), payload: null, acceptLanguage: null },
});

/** A data folder as it is after kill -9, with the entries since the last stop still in the write-ahead log. */
async function killedFolder(entries: number, { beforeStop = 0 } = {}) {
  const living = temporaryFolder();
  if (beforeStop > 0) {
    const earlier = await openSqliteJournal({ databaseFile: join(living, "crossdock.db") });
    for (let nth = 1; nth <= beforeStop; nth++) await earlier.append([entry(nth)]);
    await earlier.close();
  }
  const journal = await openSqliteJournal({ databaseFile: join(living, "crossdock.db") });
  for (let nth = beforeStop + 1; nth <= entries; nth++) await journal.append([entry(nth)]);
  const folder = temporaryFolder();
  for (const part of ["", "-wal", "-shm", ".witness", ".sums", ".answers"]) {
    copyFileSync(join(living, `crossdock.db${part}`), join(folder, `crossdock.db${part}`));
  }
  await journal.close();
  return { folder, log: join(folder, "crossdock.db-wal") };
}

async function opened(folder: string) {
  const journal = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
  onTestFinished(() => journal.close());
  return journal;
}

test("an undamaged folder needs no recovery", async () => {
  const { folder } = await killedFolder(3);
  expect(recoverFolder(folder, { isMeant: true })).toBeNull();
});

test("nothing is changed without confirmation; with it the readable entries are kept, and numbers of lost entries are not used again", async () => {
  const { folder, log } = await killedFolder(40);
  truncateSync(log, Math.floor(statSync(log).size / 2));
  const before = readFileSync(log);
  const plan = recoverFolder(folder, { isMeant: false });
  const from = plan?.best?.missing?.from ?? 0;
  expect(plan).toMatchObject({ keptIn: null, best: { missing: { to: 40 } } });
  expect(from).toBeGreaterThan(1);
  expect(readFileSync(log).equals(before)).toBe(true);

  const seen = openSideDatabase(intakeFile, { dataFolder: folder, log: silentLog });
  const clock = manualClock();
  const books = openKnownRecords({ database: seen, clock });
  const sight = (number: string) => ({ source: "erp", topic: "workOrders", number, part: "", digest: "d" }) as const;
  clock.advance({ days: -1 });
  books.remember([sight("old")]);
  clock.advance({ days: 1 });
  books.remember([sight("lost")]);
  seen.close();

  const done = recoverFolder(folder, { isMeant: true });
  expect(existsSync(join(done?.keptIn ?? "", "crossdock.db-wal"))).toBe(true);
  const journal = await opened(folder);
  expect(journal.read.list({ limit: 100 })).toHaveLength(from - 1);
  const [next] = await journal.append([entry(41)]);
  expect(next).toMatchObject({ seq: 41 });
  const after = openDatabase(join(folder, "intake.db"));
  expect(after.statement("SELECT number FROM seen").all()).toEqual([{ number: "old" }]);
  after.close();
});

test("a damaged page of the log that a later frame overwrites loses no entry", async () => {
  const { folder, log } = await killedFolder(40);
  // The first frame after the header is a page that every entry changes.
  const bytes = readFileSync(log);
  const frame = 24 + 4096;
  const at = 32 + frame * Math.floor(bytes.length / frame / 2) + 24 + 100;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(log, bytes);
  const report = recoverFolder(folder, { isMeant: true });
  expect(report).toMatchObject({ best: { missing: null, doubtfulPages: 0 } });
  expect((await opened(folder)).read.list({ limit: 100 })).toHaveLength(40);
});

/** A stopped data folder with this many entries, and a copy of it as it was after the first twenty. */
async function stoppedFolder(entries: number) {
  const folder = temporaryFolder();
  const older = temporaryFolder();
  const first = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
  for (let nth = 1; nth <= Math.min(20, entries); nth++) await first.append([entry(nth)]);
  await first.close();
  cpSync(folder, older, { recursive: true });
  const second = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
  for (let nth = 21; nth <= entries; nth++) await second.append([entry(nth)]);
  await second.close();
  return { folder, older };
}

function replaceJournal(folder: string, from: string | null): void {
  const isOfJournal = (name: string) => name.startsWith("crossdock.db");
  for (const name of readdirSync(folder).filter(isOfJournal)) rmSync(join(folder, name));
  if (from === null) return;
  for (const name of readdirSync(from).filter(isOfJournal)) cpSync(join(from, name), join(folder, name));
}

test("an older set of the journal's files is started with knowingly after a recovery, which says what is lost", async () => {
  const { folder, older } = await stoppedFolder(50);
  replaceJournal(folder, older);
  await expect(opened(folder)).rejects.toThrow("entries 21 to at least 50 are missing");
  expect(recoverFolder(folder, { isMeant: true })).toMatchObject({ best: { missing: { from: 21, to: 50 } } });
  expect(recoverFolder(folder, { isMeant: true })).toBeNull();
  const journal = await opened(folder);
  expect(journal.notices).toEqual([]);
  expect(journal.read.list({ limit: 100 })).toHaveLength(20);
  expect(await journal.append([entry(51)])).toMatchObject([{ seq: 51 }]);
});

test("of another folder's journal nothing counts as recovered", async () => {
  const { folder } = await stoppedFolder(30);
  const { folder: other } = await stoppedFolder(40);
  replaceJournal(folder, other);
  await expect(opened(folder)).rejects.toThrow("another data folder");
  const best = { missing: { from: 1, to: 30 }, lastReceivedAt: 0 };
  expect(recoverFolder(folder, { isMeant: true })).toMatchObject({ best });
  const journal = await opened(folder);
  expect(journal.notices).toEqual([]);
  expect(await journal.append([entry(41)])).toMatchObject([{ seq: 41 }]);
});

test("a log that holds every page of the journal is enough, also if nothing else is left", async () => {
  for (const isAlone of [false, true]) {
    const { folder, log } = await killedFolder(40);
    const kept = isAlone ? [] : [".witness", ".sums", ".answers"];
    for (const part of ["", "-shm", ".witness", ".sums", ".answers"]) {
      if (!kept.includes(part)) rmSync(join(folder, `crossdock.db${part}`));
    }
    if (isAlone) writeFileSync(join(folder, "crossdock.db"), "");
    const before = readFileSync(log);
    const best = { lastSeq: 40, missing: null };
    expect(recoverFolder(folder, { isMeant: false })).toMatchObject({ keptIn: null, best });
    expect(readFileSync(log).equals(before)).toBe(true);
    const { keptIn } = recoverFolder(folder, { isMeant: true }) ?? {};
    expect(readFileSync(join(keptIn ?? "", "crossdock.db-wal")).equals(before)).toBe(true);
    expect(recoverFolder(folder, { isMeant: true })).toBeNull();
    const journal = await opened(folder);
    expect(journal.read.list({ limit: 100 })).toHaveLength(40);
    expect(await journal.append([entry(41)])).toMatchObject([{ seq: 41 }]);
  }
});

test("of a log that was cut off as well, the entries up to the cut are recovered", async () => {
  const { folder, log } = await killedFolder(40);
  rmSync(join(folder, "crossdock.db"));
  truncateSync(log, Math.floor(statSync(log).size * 0.8));
  const { best } = recoverFolder(folder, { isMeant: true }) ?? {};
  const from = best?.missing?.from ?? 0;
  expect([from > 1, best?.missing?.to]).toEqual([true, 40]);
  expect((await opened(folder)).read.list({ limit: 100 })).toHaveLength(from - 1);
});

test("a log with the later pages only is too little, which is said, and it stays", async () => {
  const { folder, log } = await killedFolder(40, { beforeStop: 30 });
  rmSync(join(folder, "crossdock.db"));
  const before = readFileSync(log);
  const report = recoverFolder(folder, { isMeant: true });
  expect(report).toMatchObject({ best: null, keptIn: null });
  expect(report?.damages.join("\n")).toMatch(/crossdock\.db is missing.*; crossdock\.db-wal has \d+ of its \d+ pages/);
  expect(readFileSync(log).equals(before)).toBe(true);
});

test("where every file of the journal is gone, nothing can be recovered, and the start stays refused", async () => {
  const { folder } = await stoppedFolder(30);
  replaceJournal(folder, null);
  for (let nth = 1; nth <= 2; nth++) {
    expect(recoverFolder(folder, { isMeant: true })).toEqual({
      ...{ damages: ["crossdock.db is missing; it held entries up to at least number 30"], best: null, keptIn: null },
    });
    await expect(opened(folder)).rejects.toThrow("it held entries up to at least number 30");
  }
});

test("a restored folder starts with its older journal, and the files that it replaced with the newer one", async () => {
  const { folder, older } = await stoppedFolder(50);
  const target = join(temporaryFolder(), "saved");
  await backUp({ dataFolder: older, target, now: receivedAt });
  const { keptIn } = await restore(folder, target);
  const restored = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
  expect(restored.notices).toEqual([]);
  expect(restored.read.list({ limit: 100 })).toHaveLength(20);
  await restored.close();
  const before = await opened(keptIn ?? "");
  expect(before.notices).toEqual([]);
  expect(before.read.list({ limit: 100 })).toHaveLength(50);
});

test("notes on answers that are lost after a restore are reported, even before the first start", async () => {
  const { folder } = await stoppedFolder(20);
  const target = join(temporaryFolder(), "saved");
  await backUp({ dataFolder: folder, target, now: receivedAt });
  await restore(folder, target);
  rmSync(join(folder, "crossdock.db.answers"));
  expect((await opened(folder)).notices).toEqual([expect.stringMatching(/^crossdock\.db\.answers is missing/)]);
});

test("of the files that a recovery puts away none is reported as missing", async () => {
  const { folder, older } = await stoppedFolder(50);
  const missing: unknown[] = [];
  const log = { ...silentLog, error: (fields: object) => void missing.push(fields) };
  const open = (name: string) =>
    openSideDatabase({ name, withoutIt: "", createTables: () => {} }, { dataFolder: folder, log }).close();
  for (const name of ["notes.db", "senders.db", "actions.db"]) open(name);
  replaceJournal(folder, older);
  recoverFolder(folder, { isMeant: true });
  rmSync(join(folder, "actions.db"));
  for (const name of ["notes.db", "senders.db", "actions.db"]) open(name);
  expect(missing).toMatchObject([{ file: "actions.db" }]);
});

testIf(process.getuid?.() === 0)(
  "a backup by root leaves no file that the owner of a stopped folder cannot open",
  async () => {
    const { folder } = await stoppedFolder(20);
    // Missing, as after an upgrade from a version that had none.
    rmSync(join(folder, "journal-mark"));
    const names = () => readdirSync(folder);
    for (const name of [".", ...names()]) chownSync(join(folder, name), 65_534, 65_534);
    await backUp({ dataFolder: folder, target: join(temporaryFolder(), "saved"), now: receivedAt });
    expect(names()).toContain("journal-mark");
    expect(names().filter((name) => statSync(join(folder, name)).uid !== 65_534)).toEqual([]);
  },
);
