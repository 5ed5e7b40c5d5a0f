import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openKnownRecords } from "../../engine/quarantine/open-known-records.ts";
import { intakeFile } from "../../engine/quarantine/open-quarantine.ts";
import type { NewEntry } from "../../journal/entry.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { silentLog } from "../../kit/log.ts";
import { openSideDatabase } from "../../kit/sqlite/side-database.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { recoverFolder } from "./recover-folder.ts";

const receivedAt = manualClock().now();
const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "in", topic: "workOrders", lanes: [`wo:${nth}`], receivedAt: receivedAt + nth },
  ...{ body: JSON.stringify({ nth }), payload: null, acceptLanguage: null },
});

/** A data folder as it is after kill -9, with all of its entries still in the write-ahead log. */
async function killedFolder(entries: number) {
  const living = temporaryFolder();
  const journal = await openSqliteJournal({ databaseFile: join(living, "crossdock.db") });
  for (let nth = 1; nth <= entries; nth++) await journal.append([entry(nth)]);
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
