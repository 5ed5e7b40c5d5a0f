import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { NewEntry } from "../../entry.ts";
import { JournalDamaged } from "../../journal.ts";
import { openSqliteJournal, type SqliteJournal } from "../open-sqlite-journal.ts";
import { inspectStore } from "./inspect-store.ts";
import { markFileOf, openMark, readMark } from "./journal-mark.ts";
import { readWitness, witnessFileOf } from "./witness.ts";

const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "out", topic: "confirmStep", lanes: [`wo:${nth % 20}`] },
  ...{ body: JSON.stringify({ nth }), payload: null, acceptLanguage: null, receivedAt: 1000 },
});

const journalIn = (folder: string) => join(folder, "crossdock.db");

async function store(journal: SqliteJournal, from: number, to: number): Promise<void> {
  for (let nth = from; nth <= to; nth++) {
    await journal.append([entry(nth)]);
    journal.noteWritten(nth, 1500);
  }
}

/** The folder as kill -9 would leave it now: its files are copied while it is open. */
async function killed(folder: string, lastSeq: number): Promise<string> {
  await vi.waitFor(() => expect(readMark(journalIn(folder)).mark?.lastSeq).toBe(lastSeq), { timeout: 60_000 });
  return stopped(folder);
}

function stopped(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Two copies of one folder, an older one with 20 entries and a newer one with 50, and one after a stop. */
async function lives() {
  const folder = temporaryFolder();
  const first = await openSqliteJournal({ databaseFile: journalIn(folder) });
  await store(first, 1, 20);
  const older = await killed(folder, 20);
  await first.close();
  const olderStopped = stopped(folder);
  const second = await openSqliteJournal({ databaseFile: journalIn(folder) });
  await store(second, 21, 50);
  const newer = await killed(folder, 50);
  await second.close();
  return { older, olderStopped, newer, newerStopped: stopped(folder) };
}

const isOfJournal = (name: string) => name.startsWith("crossdock.db") && !name.includes(".lock");

function remove(folder: string, isMeant: (name: string) => boolean): void {
  for (const name of readdirSync(folder).filter(isMeant)) rmSync(join(folder, name));
}

/** Does what an administrator does with `cp backup/crossdock.db* data/`, after the files there were removed. */
function replace(folder: string, by: string, isMeant: (name: string) => boolean = isOfJournal): void {
  remove(folder, isMeant);
  for (const name of readdirSync(by).filter(isMeant)) cpSync(join(by, name), join(folder, name));
}

async function started(folder: string): Promise<{ damages: string } | { entries: number; notices: readonly string[] }> {
  try {
    const journal = await openSqliteJournal({ databaseFile: journalIn(folder) });
    const entries = journal.read.list({ limit: 1000 }).length;
    await journal.close();
    return { entries, notices: journal.notices };
  } catch (error) {
    if (!(error instanceof JournalDamaged)) throw error;
    return { damages: error.damages.join("\n") };
  }
}

test("an undamaged folder starts with all entries and without a word, killed or stopped, again and again", async () => {
  const { newer, newerStopped } = await lives();
  for (const folder of [newer, newerStopped]) {
    for (let nth = 1; nth <= 3; nth++) expect(await started(folder)).toEqual({ entries: 50, notices: [] });
  }
});

test("an older set of all files of the journal is refused, with the entries that are missing", async () => {
  const { older, olderStopped, newer, newerStopped } = await lives();
  for (const now of [newer, newerStopped]) {
    for (const before of [older, olderStopped]) {
      const folder = stopped(now);
      replace(folder, before);
      const files = readdirSync(folder).filter((name) => isOfJournal(name) && !/-(wal|shm)$/.test(name));
      const content = () => files.map((name) => readFileSync(join(folder, name)).toString("base64"));
      const found = content();
      // Refused again and again, and nothing is changed by it.
      for (let nth = 1; nth <= 2; nth++) {
        expect(await started(folder)).toEqual({
          damages: expect.stringMatching(
            /it ends with entry 20; the acknowledged entries 21 to at least 50 are missing/,
          ),
        });
      }
      expect(content()).toEqual(found);
    }
  }
});

test("the newer notes on answers alone are believed, too", async () => {
  const { older, newer } = await lives();
  replace(newer, older, (name) => isOfJournal(name) && !name.endsWith(".answers"));
  rmSync(markFileOf(journalIn(newer)));
  expect(await started(newer)).toEqual({
    damages: expect.stringMatching(/entries 21 to at least (49|50) are missing/),
  });
});

test("a changed byte in the notes on answers has nothing refused", async () => {
  const { newer } = await lives();
  const notes = `${journalIn(newer)}.answers`;
  const bytes = readFileSync(notes);
  for (const at of [8, 9, 10, 11, 12, 13, 14, 15]) {
    for (const bit of [1, 4, 32]) {
      const folder = stopped(newer);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ bit;
      writeFileSync(`${journalIn(folder)}.answers`, changed);
      expect(inspectStore(journalIn(folder)).damages, `byte ${at}, bit ${bit}`).toEqual([]);
    }
  }
});

test("a journal of which every file was deleted is refused, with the number of its last entry", async () => {
  for (const folder of Object.values(await lives()).slice(2)) {
    remove(folder, isOfJournal);
    expect(await started(folder)).toEqual({
      damages: "crossdock.db is missing; it held entries up to at least number 50",
    });
    expect(existsSync(journalIn(folder))).toBe(false);
  }
});

test("a log that was deleted together with the witness and the notes on answers is missed", async () => {
  const { newer } = await lives();
  remove(newer, (name) => /-(wal|shm)$|\.(witness|answers)$/.test(name));
  expect(await started(newer)).toEqual({ damages: expect.stringContaining("entries 21 to at least 50 are missing") });
});

test("a database that was emptied while everything beside it was deleted is missed", async () => {
  const { newer } = await lives();
  remove(newer, (name) => isOfJournal(name) && name !== "crossdock.db");
  truncateSync(journalIn(newer));
  expect(await started(newer)).toEqual({ damages: expect.stringContaining("entries 1 to at least 50 are missing") });
});

test("an older set with the same entries is refused: deliveries and decisions would be forgotten", async () => {
  const folder = temporaryFolder();
  const first = await openSqliteJournal({ databaseFile: journalIn(folder) });
  await store(first, 1, 5);
  await first.close();
  const older = stopped(folder);
  const second = await openSqliteJournal({ databaseFile: journalIn(folder) });
  await second.start(1, "token");
  await second.close();
  replace(folder, older);
  expect(await started(folder)).toEqual({ damages: expect.stringContaining("what became of some entries") });
});

test("an older set of a journal without entries is no loss", async () => {
  const folder = temporaryFolder();
  await started(folder);
  const older = stopped(folder);
  await started(folder);
  replace(folder, older);
  expect(await started(folder)).toEqual({ entries: 0, notices: [] });
});

test("the journal of another folder is refused, unless this one had no entries", async () => {
  const { newer } = await lives();
  const other = temporaryFolder();
  const journal = await openSqliteJournal({ databaseFile: journalIn(other) });
  await store(journal, 1, 80);
  await journal.close();
  replace(newer, other);
  expect(await started(newer)).toEqual({
    damages: expect.stringContaining("those of another data folder; this one held entries up to at least number 50"),
  });
  const fresh = temporaryFolder();
  await (await openSqliteJournal({ databaseFile: journalIn(fresh) })).close();
  replace(fresh, other);
  for (let nth = 1; nth <= 2; nth++) expect(await started(fresh)).toEqual({ entries: 80, notices: [] });
});

test("a mark that is missing or damaged costs a notice, once", async () => {
  const { newer } = await lives();
  const spoil: Record<string, (file: string) => void> = {
    missing: (file) => rmSync(file),
    damaged: (file) => {
      const bytes = readFileSync(file);
      bytes[17] = (bytes[17] ?? 0) ^ 2;
      writeFileSync(file, bytes);
    },
  };
  for (const [how, damage] of Object.entries(spoil)) {
    const folder = stopped(newer);
    damage(markFileOf(journalIn(folder)));
    expect(await started(folder)).toEqual({
      entries: 50,
      notices: [expect.stringContaining(`journal-mark is ${how}`)],
    });
    expect(await started(folder)).toEqual({ entries: 50, notices: [] });
  }
});

test("a mark that is older than the journal, as after a power cut, is no damage", async () => {
  const { older, newer, newerStopped } = await lives();
  for (const folder of [newer, newerStopped]) {
    cpSync(markFileOf(journalIn(older)), markFileOf(journalIn(folder)));
    expect(await started(folder)).toEqual({ entries: 50, notices: [] });
  }
});

test("a witness that is older than mark and log, as after a power cut, is no damage", async () => {
  const folder = temporaryFolder();
  const journal = await openSqliteJournal({ databaseFile: journalIn(folder) });
  await store(journal, 1, 3);
  const early = readFileSync(witnessFileOf(journalIn(folder)));
  const { changes } = readWitness(journalIn(folder));
  await store(journal, 4, 9);
  const copy = await killed(folder, 9);
  await journal.close();
  writeFileSync(witnessFileOf(journalIn(copy)), early);
  // The mark counts only changes of the witness that are on the disk. On a slow machine there may be later ones by now.
  const { mark } = readMark(journalIn(copy));
  if (mark === null) throw new Error("there is no mark");
  expect(mark.changes).toBeLessThanOrEqual(readWitness(journalIn(folder)).changes);
  openMark(journalIn(copy), { ...mark, changes: Math.min(mark.changes, changes) }).abandon();
  expect(await started(copy)).toEqual({ entries: 9, notices: [] });
});

test("a witness that is begun anew does not look older than the mark, also after a kill in between", async () => {
  const { newerStopped } = await lives();
  const mark = readFileSync(markFileOf(journalIn(newerStopped)));
  rmSync(witnessFileOf(journalIn(newerStopped)));
  expect(await started(newerStopped)).toMatchObject({ entries: 50, notices: [expect.stringContaining(".witness is")] });
  writeFileSync(markFileOf(journalIn(newerStopped)), mark);
  expect(await started(newerStopped)).toEqual({ entries: 50, notices: [] });
});

test("a start of an earlier version, which knows no mark, is no damage", async () => {
  const { newerStopped } = await lives();
  const databaseFile = journalIn(newerStopped);
  const bytes = readFileSync(witnessFileOf(databaseFile));
  // That version counted from one at each start, and had zeros where the number of the journal is now.
  for (const [at, nth] of [
    [0, 4],
    [64, 3],
  ] as const) {
    bytes.writeDoubleLE(nth, at + 8);
    bytes.writeUInt32LE(0, at + 44);
    bytes.writeUInt32LE(crc32(bytes.subarray(at + 8, at + 64)), at + 4);
  }
  writeFileSync(witnessFileOf(databaseFile), bytes);
  expect(readWitness(databaseFile)).toMatchObject({ state: "whole", changes: 4, witness: { journalId: 0 } });
  expect(await started(newerStopped)).toEqual({ entries: 50, notices: [] });
  expect(readMark(databaseFile).mark?.journalId).toBe(readWitness(databaseFile).witness?.journalId);
});

test("entries that retention deleted are not missed", async () => {
  const folder = temporaryFolder();
  const journal = await openSqliteJournal({ databaseFile: journalIn(folder) });
  await store(journal, 1, 5);
  for (let seq = 1; seq <= 5; seq++) {
    await journal.start(seq, "token");
    await journal.settle({ seq, token: "token" }, { state: "delivered" }, null);
  }
  expect(await journal.prune({ bodiesBefore: 2000, entriesBefore: 2000, batch: 10 })).toBe(5);
  await journal.close();
  for (let nth = 1; nth <= 2; nth++) expect(await started(folder)).toEqual({ entries: 0, notices: [] });
});
