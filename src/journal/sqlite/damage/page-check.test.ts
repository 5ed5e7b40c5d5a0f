import { copyFileSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../../entry.ts";
import { JournalDamaged } from "../../journal.ts";
import { openSqliteJournal } from "../open-sqlite-journal.ts";
import { planRecovery, takeRecovery } from "../recovery/plan-recovery.ts";
import { inspectStore } from "./inspect-store.ts";
import { openStoreGuard } from "./store-guard.ts";
import { readWitness } from "./witness.ts";

const waiting = { timeout: 60_000, interval: 20 };
const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "out", topic: "confirmStep", lanes: [`wo:${nth % 20}`] },
  ...{ body: JSON.stringify({ nth, text: "x".repeat(3000) }), payload: null, acceptLanguage: null, receivedAt: 1000 },
});

async function stoppedJournal(): Promise<string> {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  for (let nth = 1; nth <= 60; nth++) await journal.append([entry(nth)]);
  await journal.close();
  return databaseFile;
}

/** Changes a byte as a failing disk does: the size and the time of the file stay the same. */
function rot(databaseFile: string, at: number): void {
  const { stamp } = readWitness(databaseFile).witness ?? {};
  const bytes = readFileSync(databaseFile);
  bytes[at] = (bytes[at] ?? 0) ^ 0x08;
  writeFileSync(databaseFile, bytes);
  const seconds = (stamp?.changedAtMs ?? 0) / 1000;
  utimesSync(databaseFile, seconds, seconds);
}

const middleOf = (databaseFile: string) => readFileSync(databaseFile).indexOf("xxxxxxxxxx", 60_000) + 5;

test("of a large database that nobody has written to, only a part is compared before it is in use", async () => {
  const databaseFile = await stoppedJournal();
  const pages = statSync(databaseFile).size / 4096;
  expect(inspectStore(databaseFile, { mostBytes: 16 * 4096 })).toMatchObject({
    ...{ damages: [], notices: [], areSumsWhole: true },
    unchecked: { from: 3, to: pages - 14, pageBytes: 4096 },
  });
  expect(inspectStore(databaseFile, { mostBytes: pages * 4096 }).unchecked).toBeNull();
});

test("a database that another program has written to is compared as a whole before it is in use", async () => {
  const databaseFile = await stoppedJournal();
  const bytes = readFileSync(databaseFile);
  const at = middleOf(databaseFile);
  bytes[at] = 0x21;
  writeFileSync(databaseFile, bytes);
  utimesSync(databaseFile, 1, 1);
  const { damages, unchecked } = inspectStore(databaseFile, { mostBytes: 0 });
  expect(unchecked).toBeNull();
  expect(damages).toEqual(["crossdock.db: 1 page not as written"]);
});

test("a damaged page is found while the journal is in use, told, and refuses the next start until it is recovered", async () => {
  const databaseFile = await stoppedJournal();
  rot(databaseFile, middleOf(databaseFile));
  const journal = await openSqliteJournal({ databaseFile, checkedBytes: 0 });
  await vi.waitFor(() => expect(journal.trouble().damage).toBe("crossdock.db: 1 page not as written"), waiting);
  // New entries are still accepted, and recovery does not lose them.
  await journal.append([entry(61)]);
  expect(journal.trouble()).toEqual({ refused: null, damage: "crossdock.db: 1 page not as written" });
  await journal.close();
  const refused = openSqliteJournal({ databaseFile, checkedBytes: 0 });
  await expect(refused).rejects.toThrow(JournalDamaged);
  await expect(refused).rejects.toMatchObject({ damages: ["crossdock.db: 1 page not as written"] });

  const folder = temporaryFolder();
  const plan = planRecovery(databaseFile, folder, 0);
  expect(plan?.best).toMatchObject({ lastSeq: 61, missing: null, doubtfulPages: 1 });
  if (plan?.best == null) return;
  takeRecovery(databaseFile, plan.best, folder);
  const again = await openSqliteJournal({ databaseFile });
  onTestFinished(() => again.close());
  expect(again.read.list({ limit: 100 })).toHaveLength(61);
});

test("a damaged page that is written to before it was compared is found by that, also after a kill", async () => {
  const databaseFile = await stoppedJournal();
  const before = openDatabase(databaseFile, { readOnly: true });
  const text = "SELECT seq, topic FROM entry WHERE seq = 30";
  expect(before.statement(text).get()).toEqual({ seq: 30, topic: "confirmStep" });
  before.close();
  const at = readFileSync(databaseFile).indexOf("evt_30") + 5;
  rot(databaseFile, at);
  const guard = openStoreGuard(databaseFile, { mostBytes: 0 });
  const logged: string[] = [];
  const writing = openDatabase(databaseFile);
  writing.exec("PRAGMA wal_autocheckpoint = 0; UPDATE entry SET answered_at = 1 WHERE seq BETWEEN 25 AND 35");
  const state = writing
    .query("PRAGMA wal_checkpoint(NOOP)", row({ busy: integer, log: integer, checkpointed: integer }))
    .get();
  const log = state ?? { log: 0, checkpointed: 0 };
  guard.committed(log, 60);
  // The state after a kill at this point: the log has the damaged page with a checksum that fits.
  const killed = join(temporaryFolder(), "crossdock.db");
  for (const part of ["", "-wal", ".witness", ".sums"]) copyFileSync(databaseFile + part, killed + part);
  expect(inspectStore(killed).damages).toEqual(["crossdock.db: 1 page not as written"]);
  await guard.checkRest((damage) => logged.push(damage), 0);
  expect(logged.at(-1)).toBe("crossdock.db: 1 page not as written");
  guard.beforeFold(log);
  guard.close(() => writing.close());
  expect(inspectStore(databaseFile).damages).toEqual(["crossdock.db: 1 page not as written"]);
});

test("pages that are folded while the check goes on are not taken for damaged ones", async () => {
  const databaseFile = await stoppedJournal();
  const journal = await openSqliteJournal({ databaseFile, checkedBytes: 0 });
  for (let nth = 61; nth <= 400; nth++) await journal.append([entry(nth)]);
  expect(journal.trouble().damage).toBeNull();
  await journal.close();
  expect(inspectStore(databaseFile)).toMatchObject({ damages: [], notices: [] });
});

test("sums that are missing in the part that was left out have all of it compared at once", async () => {
  const databaseFile = await stoppedJournal();
  const sums = readFileSync(`${databaseFile}.sums`);
  sums.fill(0, 8 * 20, 8 * 21);
  writeFileSync(`${databaseFile}.sums`, sums);
  const { unchecked, notices } = inspectStore(databaseFile, { mostBytes: 0 });
  expect(unchecked).toBeNull();
  expect(notices.join()).toContain("the sums of 1 pages are damaged or missing");
});
