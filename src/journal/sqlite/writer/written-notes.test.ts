import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { NewEntry } from "../../entry.ts";
import { openSqliteJournal, type SqliteJournal } from "../open-sqlite-journal.ts";

const placement = (receivedAt = 1000): NewEntry => ({
  ...{ id: `evt_${Math.random()}`, direction: "out", topic: "confirmPutWallPlacement", lanes: ["wo:1"], body: "{}" },
  ...{ payload: null, acceptLanguage: null, receivedAt },
  repeat: { key: "confirmPutWallPlacement", when: "unanswered", windowMs: 900_000 },
});

/**
 * Opens a journal, ends it as if its process was killed before anything else was stored, and opens the next one on its
 * files.
 */
async function across(before: (journal: SqliteJournal) => Promise<void>, databaseFile = databaseIn(temporaryFolder())) {
  const first = await openSqliteJournal({ databaseFile });
  await before(first);
  await first.close();
  const next = await openSqliteJournal({ databaseFile });
  const answeredAt = [1, 2, 3].map((seq) => next.read.entry(seq)?.answeredAt);
  const again = await next.append([placement()]);
  await next.close();
  return { answeredAt, again, databaseFile };
}

const databaseIn = (folder: string) => join(folder, "crossdock.db");

test("an answer that was written counts as given after the process was killed: the same again is a second piece", async () => {
  const { answeredAt, again } = await across(async (journal) => {
    await journal.append([placement()]);
    journal.noteWritten(1, 1500);
  });
  expect(answeredAt).toEqual([1500, undefined, undefined]);
  expect(again).toMatchObject([{ seq: 2, suspectOf: 1 }]);
});

test("without a note, or with one that was taken back, the same again is a retry", async () => {
  const unwritten = await across(async (journal) => void (await journal.append([placement()])));
  expect(unwritten.again).toMatchObject([{ repeatOf: 1 }]);
  const unread = await across(async (journal) => {
    await journal.append([placement()]);
    journal.noteWritten(1, 1500);
    journal.noteWritten(1, null);
  });
  expect(unread.again).toMatchObject([{ repeatOf: 1 }]);
  const takenBack = await across(async (journal) => {
    await journal.append([placement()]);
    journal.noteWritten(1, 1500);
    journal.markAnswered(1, 1500);
    journal.takeBackAnswered(1, 1500);
  });
  expect(takenBack.again).toMatchObject([{ repeatOf: 1 }]);
});

test("a mark that was stored stays what it is, and a note that does not fit its entry is passed over", async () => {
  const { answeredAt } = await across(async (journal) => {
    await journal.append([placement()]);
    journal.markAnswered(1, 1400);
    await journal.append([placement(1000)]);
    await journal.append([{ ...placement(5000), body: '{"a":1}' }]);
    journal.noteWritten(1, 1500);
    // Older than its entry.
    journal.noteWritten(3, 4999);
  });
  expect(answeredAt).toEqual([1400, null, null]);
});

test("notes are taken over once", async () => {
  const { databaseFile } = await across(async (journal) => {
    await journal.append([placement()]);
    journal.noteWritten(1, 1500);
  });
  const { answeredAt } = await across(async (journal) => {
    journal.takeBackAnswered(1, 1500);
  }, databaseFile);
  expect(answeredAt[0]).toBe(null);
});

test("more notes than there are places keep the last ones", async () => {
  const { answeredAt } = await across(async (journal) => {
    await journal.append(Array.from({ length: 42 }, (_, nth) => ({ ...placement(), body: JSON.stringify({ nth }) })));
    journal.noteWritten(1, 1500);
    for (let nth = 0; nth < 5000; nth++) journal.noteWritten(3 + (nth % 40), 1500);
    await new Promise(setImmediate);
    for (let nth = 0; nth < 3000; nth++) journal.noteWritten(3 + (nth % 40), 1500);
    journal.noteWritten(2, 1501);
  });
  expect(answeredAt).toEqual([null, 1501, 1500]);
});

test("a failure that was answered tells nothing of the success that came later under the same entry", async () => {
  const held = { ...placement(), handling: "hold", target: "erp" } as const;
  const { again } = await across(async (journal) => {
    await journal.append([held], "one");
    await journal.settle({ seq: 1, token: "one" }, { state: "rejected", reason: "ambiguous" }, null, '{"ok":false}');
    journal.markAnswered(1, 1500);
    await journal.append([held], "two");
    await journal.settle({ seq: 1, token: "two" }, { state: "delivered" }, null, '{"ok":true}');
  });
  expect(again).toMatchObject([{ repeatOf: 1 }]);
});

test("what is in the place of the file does not keep the journal from opening", async () => {
  const databaseFile = databaseIn(temporaryFolder());
  mkdirSync(`${databaseFile}.answers`);
  const { again } = await across(async (journal) => {
    await journal.append([placement()]);
    journal.noteWritten(1, 1500);
  }, databaseFile);
  expect(again).toMatchObject([{ repeatOf: 1 }]);
});

test("a file of anything is no obstacle, and none grows", async () => {
  const databaseFile = databaseIn(temporaryFolder());
  writeFileSync(`${databaseFile}.answers`, Buffer.alloc(140_003, 0xff));
  const { answeredAt } = await across(async (journal) => {
    await journal.append([placement()]);
    journal.noteWritten(1, 1500);
  }, databaseFile);
  expect(answeredAt[0]).toBe(1500);
  expect(statSync(`${databaseFile}.answers`).size).toBeLessThan(141_000);
});

test("notes of an earlier version, which had no check, are still taken over", async () => {
  const databaseFile = databaseIn(temporaryFolder());
  const first = await openSqliteJournal({ databaseFile });
  await first.append([placement()]);
  await first.close();
  const notes = Buffer.alloc(4096 * 24);
  for (const [index, value] of [1, 1, 1500].entries()) notes.writeDoubleLE(value, 8 * index);
  writeFileSync(`${databaseFile}.answers`, notes);
  const next = await openSqliteJournal({ databaseFile });
  onTestFinished(() => next.close());
  expect(next.notices).toEqual([]);
  expect(next.read.entry(1)?.answeredAt).toBe(1500);
});
