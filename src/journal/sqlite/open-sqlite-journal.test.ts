import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workedMs } from "../../../test/support/longest-stall.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../entry.ts";
import { JournalBusy } from "../journal.ts";
import { openSqliteJournal, type SqliteJournalOptions } from "./open-sqlite-journal.ts";
import { assertDurable, makeDurable } from "./writer/durability.ts";

const projectionModule = new URL("../../../test/fixtures/counting-projection.ts", import.meta.url);

let made = 0;
const entry = (body: object = {}, lanes: string[] = ["wo:1"]): NewEntry => ({
  id: `evt_${++made}`,
  direction: "out",
  topic: "confirmStep",
  lanes,
  body: JSON.stringify(body),
  payload: null,
  acceptLanguage: "de",
  receivedAt: 1000,
});

async function openJournal(options: Partial<SqliteJournalOptions> = {}) {
  const databaseFile = options.databaseFile ?? join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile, projectionModule, ...options });
  onTestFinished(() => journal.close());
  const rows = (sql: string) => {
    const reader = openDatabase(databaseFile, { readOnly: true });
    const found = reader.statement(sql).all();
    reader.close();
    return found;
  };
  return { journal, databaseFile, rows };
}

test("an entry is in the file when its append resolves, with its text as it was sent", async () => {
  const { journal, rows } = await openJournal();
  const sent = { ...entry(), body: '{ "amount": 9007199254740993,\n "x": "\\u0000" }' };
  const [stored] = await journal.append([sent]);
  expect(stored).toMatchObject({ id: sent.id, seq: 1, outcome: { ok: true }, touched: true });
  expect(rows("SELECT body, state, accept_language FROM entry JOIN entry_body USING (seq)")).toEqual([
    { body: sent.body, state: "delivered", accept_language: "de" },
  ]);
});

test("of an entry that retention erased nothing is left in its lanes, also where its sender had named it", async () => {
  const { journal, rows } = await openJournal();
  const unnamed = { key: "confirmStep", when: "unanswered", windowMs: 900_000 } as const;
  await journal.append([{ ...entry(), repeat: { key: "key|a", when: "always", windowMs: 900_000, unnamed } }]);
  expect(rows("SELECT key FROM entry_lane ORDER BY key")).toEqual([{ key: "confirmStep" }, { key: "key|a" }]);
  expect(await journal.prune({ bodiesBefore: 2000, entriesBefore: 2000, batch: 10 })).toBe(1);
  expect(rows("SELECT key FROM entry_lane")).toEqual([]);
});

test("a page of what waits costs no more because more waits", async () => {
  const { journal } = await openJournal();
  const waiting = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        journal.append([{ ...entry({ text: "x".repeat(500) }, [`wo:${i}`]), target: "erp", handling: "queue" }]),
      ),
    );
  const states = ["accepted", "inflight", "retry", "dead"] as const;
  const hundredPagesMs = () => {
    const startedMs = workedMs();
    for (let nth = 0; nth < 100; nth++) expect(journal.read.list({ states, limit: 100 })).toHaveLength(100);
    return workedMs() - startedMs;
  };
  await waiting(200);
  hundredPagesMs();
  const fewMs = hundredPagesMs();
  await waiting(5_000);
  expect(hundredPagesMs()).toBeLessThan(fewMs * 5);
});

test("a failing entry does not fail those committed in the same batch", async () => {
  const { journal, rows } = await openJournal();
  const sent = Array.from({ length: 50 }, (_, i) => entry(i === 20 ? { act: "fail" } : {}));
  const settled = await Promise.allSettled(sent.map((one) => journal.append([one])));
  expect(settled.map(({ status }) => status).filter((status) => status === "rejected")).toHaveLength(1);
  expect(settled[20]?.status).toBe("rejected");
  expect(rows("SELECT id FROM entry")).toHaveLength(49);
  expect(rows("SELECT id FROM counted")).toHaveLength(49);
});

test("positions in a lane have no gap where a batch was rolled back", async () => {
  const { journal } = await openJournal();
  const queued = (body: object): NewEntry => ({ ...entry(body), handling: "queue", target: "erp" });
  const sent = Array.from({ length: 30 }, (_, index) => queued(index % 10 === 5 ? { act: "fail" } : {}));
  await Promise.allSettled(sent.map((one) => journal.append([one])));
  await journal.append([queued({})]);
  const positions = journal.read.open(0, 100).map(({ seq }) => journal.read.entry(seq)?.lanes);
  expect(positions).toEqual(Array.from({ length: 28 }, (_, index) => [{ lane: "wo:1", position: index + 1 }]));
});

test("a folder from before the positions were kept in memory goes on counting where it was", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  const queued = (): NewEntry => ({ ...entry(), handling: "queue", target: "erp" });
  await journal.append([queued(), queued()]);
  await journal.prune({ bodiesBefore: 0, entriesBefore: 0, batch: 1 });
  await journal.close();
  const database = openDatabase(databaseFile);
  // The newest entries are deleted, so only the table of lanes still knows their positions.
  database.exec(
    "ALTER TABLE last_entry DROP COLUMN positions_up_to; DROP INDEX entry_sent_state; DROP TABLE entry_progress; ALTER TABLE entry DROP COLUMN leased_at; ALTER TABLE entry DROP COLUMN trace; DELETE FROM entry; PRAGMA user_version = 4",
  );
  database.close();
  for (const beside of ["sums", "witness"]) rmSync(`${databaseFile}.${beside}`);
  const { journal: upgraded } = await openJournal({ databaseFile });
  const [appended] = await upgraded.append([queued()]);
  const seq = appended !== undefined && "seq" in appended ? appended.seq : 0;
  expect(upgraded.read.entry(seq)?.lanes).toEqual([{ lane: "wo:1", position: 3 }]);
});

test("a start reads back positions however long the names of the lanes are, and never many at once", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  const lanes = [`wo:${"x".repeat(400_000)}`];
  for (let nth = 1; nth <= 4; nth++) await journal.append([{ ...entry({}, lanes), handling: "queue", target: "erp" }]);
  await journal.close();
  const { journal: again, rows } = await openJournal({ databaseFile });
  // The third entry exceeds a million characters of lanes, so the positions were stored and need not be read at the
  // start.
  expect(rows("SELECT positions_up_to FROM last_entry")).toEqual([{ positions_up_to: 3 }]);
  await again.append([{ ...entry({}, lanes), handling: "queue", target: "erp" }]);
  expect(again.read.entry(5)?.lanes[0]?.position).toBe(5);
});

test("each entry keeps the moment of its own answer, also where neighbours were answered together", async () => {
  const { journal, rows } = await openJournal();
  await journal.append(Array.from({ length: 7 }, () => entry()));
  for (const [seq, at] of [
    [1, 10],
    [2, 10],
    [3, 10],
    [4, 11],
    [6, 11],
    [5, 11],
  ] as const)
    journal.markAnswered(seq, at);
  journal.takeBackAnswered(2, 10);
  journal.takeBackAnswered(3, 9);
  await journal.append([entry()]);
  const answered = rows("SELECT answered_at FROM entry ORDER BY seq").map(({ answered_at }) => answered_at);
  expect(answered).toEqual([10, null, 10, 11, 11, 11, null, null]);
});

test("a second instance on the same folder is refused with words that say what to do", async () => {
  const { databaseFile } = await openJournal();
  await expect(openSqliteJournal({ databaseFile })).rejects.toThrow(/Another Crossdock .* CROSSDOCK_DATA_DIR/);
});

test("a folder written by a newer version is left alone", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const database = openDatabase(databaseFile);
  database.exec("PRAGMA user_version = 99");
  database.close();
  await expect(openSqliteJournal({ databaseFile })).rejects.toThrow(/newer Crossdock/);
});

test("more than the queue may hold is refused at once, and what was taken is stored", async () => {
  const { journal, rows } = await openJournal({ maxWaitingEntries: 10 });
  const settled = await Promise.allSettled(Array.from({ length: 25 }, () => journal.append([entry()])));
  const refused = settled.filter((one) => one.status === "rejected");
  expect(refused.length).toBe(15);
  for (const one of refused) expect(one.reason).toBeInstanceOf(JournalBusy);
  expect(rows("SELECT id FROM entry")).toHaveLength(10);
});

test("closing stores what was appended before it", async () => {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  const appended = Promise.all(Array.from({ length: 20 }, () => journal.append([entry()])));
  await journal.close();
  expect(await appended).toHaveLength(20);
});

test.each([
  ["synchronous = NORMAL", /synchronous/],
  ["journal_mode = DELETE", /write-ahead/],
])("a database with %s is refused", (pragma, complaint) => {
  const database = openDatabase(join(temporaryFolder(), "x.db"));
  onTestFinished(() => database.close());
  makeDurable(database);
  database.exec(`PRAGMA ${pragma}`);
  expect(() => assertDurable(database)).toThrow(complaint);
});
