import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { readLog } from "../../../kit/sqlite/sqlite-log.ts";
import type { NewEntry } from "../../entry.ts";
import type { Journal } from "../../journal.ts";
import { packEntries } from "../../packed-entry.ts";
import { inspectStore } from "../damage/inspect-store.ts";
import { markFileOf } from "../damage/journal-mark.ts";
import { readSums } from "../damage/page-sums.ts";
import { openStoreGuard } from "../damage/store-guard.ts";
import { readWitness, witnessFileOf } from "../damage/witness.ts";
import { migrate } from "../migrations.ts";
import { openSqliteJournal } from "../open-sqlite-journal.ts";
import { makeDurable } from "../writer/durability.ts";
import { type Writer, writer } from "../writer/writer.ts";
import { logMaintenance } from "./log-maintenance.ts";

const entry = (id: string, lane: string): NewEntry => ({
  ...{ id, direction: "in", topic: "stock", lanes: [lane], handling: "keep", sender: "erp" },
  ...{ body: JSON.stringify({ id, text: "x".repeat(300) }), payload: null, acceptLanguage: null, receivedAt: 1000 },
});

/** Stages chunks of a hundred entries, twenty chunks at a time. */
async function staged(journal: Journal, count: number) {
  const staging = journal.stage();
  for (let at = 0; at < count; at += 2000) {
    const chunks = Array.from({ length: 20 }, (_, chunk) =>
      packEntries(Array.from({ length: 100 }, (_, nth) => entry(`evt_p${at + chunk * 100 + nth}`, `item:${nth}`))),
    );
    await staging.add({ count: 2000, chunks });
  }
  return staging;
}

test("what is not synced is neither in the witness nor in the sums, until a commit is", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  onTestFinished(() => journal.close());
  await journal.append([entry("evt_1", "item:1")]);
  const before = readWitness(databaseFile);
  const sums = readSums(databaseFile);
  const frames = () => readLog(`${databaseFile}-wal`)?.frames ?? 0;
  expect(before.witness?.frames).toBe(frames());

  await staged(journal, 2000);
  expect(frames()).toBeGreaterThan(before.witness?.frames ?? 0);
  expect(readWitness(databaseFile)).toEqual(before);
  expect(readSums(databaseFile).equals(sums)).toBe(true);
  // A commit that changes nothing syncs nothing.
  await journal.start(999, "nobody");
  expect(readWitness(databaseFile)).toEqual(before);

  await journal.append([entry("evt_2", "item:1")]);
  expect(readWitness(databaseFile).witness).toMatchObject({ frames: frames(), lastSeq: 2 });
});

test("a long push is folded beside events, and the files fit each other when it is over", {
  timeout: 60_000,
}, async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  await journal.append([entry("evt_first", "item:1")]);
  const before = readSums(databaseFile).length;
  let isOver = false;
  let events = 0;
  const floor = async () => {
    while (!isOver) await journal.append([entry(`evt_f${events++}`, `wo:${events % 20}`)]);
  };
  const working = floor();
  const staging = await staged(journal, 30_000);
  await staging.commit(null);
  isOver = true;
  await working;
  // The sums are written only before a fold.
  const after = readSums(databaseFile).length;
  await journal.close();

  expect(after).toBeGreaterThan(before);
  expect(inspectStore(databaseFile)).toMatchObject({ damages: [], notices: [], areSumsWhole: true });
  const again = await openSqliteJournal({ databaseFile });
  onTestFinished(() => again.close());
  expect(again.notices).toEqual([]);
  const reader = openDatabase(databaseFile, { readOnly: true });
  onTestFinished(() => reader.close());
  const stored = reader.statement("SELECT count(*) AS entries, count(DISTINCT id) AS ids FROM entry").get();
  expect(stored).toEqual({ entries: 30_001 + events, ids: 30_001 + events });
});

test("a long log is folded beside the writer, which is left a few pages at most, and is begun anew", {
  timeout: 60_000,
}, async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const guard = openStoreGuard(databaseFile);
  const reading = openDatabase(databaseFile, { readOnly: true });
  const database = openDatabase(databaseFile);
  makeDurable(database);
  database.exec("CREATE TABLE text (text TEXT)");
  migrate(database);
  const real = writer({
    ...{ isBoot: false, database, projection: null, inherited: [], emissionTarget: null },
    newEntryId: () => "evt_none",
  });
  const taken: number[] = [];
  const steps: ("sync" | "take over")[] = [];
  const current: Writer = {
    ...real,
    checkpoint: () => {
      const { log, checkpointed } = real.log();
      taken.push(log - checkpointed);
      steps.push("take over");
      return real.checkpoint();
    },
  };
  let folds = 0;
  let nowMs = 0;
  const whenFolded = () => {
    folds++;
  };
  const syncFolded = async () => {
    await guard.syncFolded();
    steps.push("sync");
  };
  const care = logMaintenance({
    ...{ databaseFile, guard: { ...guard, syncFolded }, reading, current: () => current, drop: () => {}, whenFolded },
    onFailure: (error) => {
      throw error;
    },
    nowMs: () => nowMs,
  });
  const store = database.statement(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
     INSERT INTO text SELECT hex(zeroblob(2000)) FROM n`,
  );
  const commit = (pages: number) => {
    store.run(pages);
    care.noteSynced();
    care.foldInBackground("floor");
  };
  const logs: number[] = [];
  for (let round = 1; round <= 3; round++) {
    if (round === 2) nowMs += 1_000;
    for (let commits = 0; !care.isFolding() && commits < 100; commits++) commit(200);
    expect(care.isFolding()).toBe(true);
    logs.push(real.log().log);
    // Some events arrive during the fold, so the fold alone never reaches the end of the log.
    for (let turns = 0; care.isFolding(); turns++) {
      if (turns < 20) commit(1);
      await new Promise((next) => setImmediate(next));
    }
    expect(folds).toBe(round);
  }
  expect(Math.max(0, ...taken)).toBeLessThan(200);
  // SQLite syncs the database file only with the last page. Without a sync before that, the writer would wait for all
  // pages.
  expect(steps.filter((step, index) => step === "take over" && steps[index - 1] !== "sync")).toEqual([]);
  expect(steps).toContain("sync");
  // Each round began with an empty log. The third one came soon after the second, so it took longer.
  const [first = 0, second = 0, third = 0] = logs;
  expect(second).toBeLessThan(2 * first);
  expect(third).toBeGreaterThan(2 * first);
  expect(third).toBeLessThan(10_000);
  care.close();
  guard.close(() => {
    reading.close();
    database.close();
  });
  expect(inspectStore(databaseFile)).toMatchObject({ damages: [], notices: [], areSumsWhole: true });
});

test("a witness of an earlier round of the log, as a power cut may leave it, is no damage; a missing log is", () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const guard = openStoreGuard(databaseFile);
  const database = openDatabase(databaseFile);
  makeDurable(database);
  const log = () =>
    database
      .query("PRAGMA wal_checkpoint(NOOP)", row({ busy: integer, log: integer, checkpointed: integer }))
      .get() ?? { log: 0, checkpointed: 0 };
  const store = (text: string) => {
    database.exec(`CREATE TABLE IF NOT EXISTS text (text TEXT); INSERT INTO text VALUES ('${text}');`);
    guard.committed(log(), 0);
  };
  const fold = () => {
    guard.beforeFold(log());
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    guard.folded();
    guard.committed(log(), 0);
  };
  store("one");
  const old = readFileSync(witnessFileOf(databaseFile));
  fold();
  store("two");
  fold();
  store("three");

  const copy = join(temporaryFolder(), "crossdock.db");
  for (const part of ["", "-wal", ".sums"]) copyFileSync(databaseFile + part, copy + part);
  copyFileSync(markFileOf(databaseFile), markFileOf(copy));
  writeFileSync(witnessFileOf(copy), old);
  expect(inspectStore(copy)).toMatchObject({ damages: [], notices: [] });
  rmSync(`${copy}-wal`);
  expect(inspectStore(copy).damages.join()).toContain("-wal is missing");
  guard.close(() => database.close());
  expect(existsSync(`${databaseFile}-wal`)).toBe(false);
});
