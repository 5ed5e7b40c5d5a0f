import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openDatabase } from "../../kit/sqlite.ts";
import { readLog } from "../../kit/sqlite-log.ts";
import type { NewEntry } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { packEntries } from "../packed-entry.ts";
import { inspectStore } from "./damage/inspect-store.ts";
import { readSums } from "./damage/page-sums.ts";
import { type LogState, openStoreGuard } from "./damage/store-guard.ts";
import { readWitness, witnessFileOf } from "./damage/witness.ts";
import { makeDurable } from "./durability.ts";
import { openSqliteJournal } from "./open-sqlite-journal.ts";

const entry = (id: string, lane: string): NewEntry => ({
  ...{ id, direction: "in", topic: "stock", lanes: [lane], handling: "keep", sender: "erp" },
  ...{ body: JSON.stringify({ id, text: "x".repeat(300) }), payload: null, acceptLanguage: null, receivedAt: 1000 },
});

/** Chunks of a hundred, twenty at a time. */
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
  // They get there only in front of a fold.
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

test("a witness of an earlier round of the log, as a power cut may leave it, is no damage; a missing log is", () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const guard = openStoreGuard(databaseFile);
  const database = openDatabase(databaseFile);
  makeDurable(database);
  const log = () => database.statement("PRAGMA wal_checkpoint(NOOP)").get<LogState>() ?? { log: 0, checkpointed: 0 };
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
  writeFileSync(witnessFileOf(copy), old);
  expect(inspectStore(copy)).toMatchObject({ damages: [], notices: [] });
  rmSync(`${copy}-wal`);
  expect(inspectStore(copy).damages.join()).toContain("-wal is missing");
  guard.close(() => database.close());
  expect(existsSync(`${databaseFile}-wal`)).toBe(false);
});
