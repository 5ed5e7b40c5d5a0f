import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newFolder, removeFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../../entry.ts";
import { markFileOf, openMark, readMark } from "../damage/journal-mark.ts";
import { openSqliteJournal } from "../open-sqlite-journal.ts";
import { planRecovery } from "./plan-recovery.ts";

const headBytes = 32;
const frameBytes = 24 + 4096;
const files = ["", "-wal", "-shm", ".witness", ".sums", ".answers"];

const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "in", topic: "workOrders", lanes: [`wo:${nth % 7}`, `wo:${nth}`] },
  ...{ receivedAt: 1000 + nth, body: JSON.stringify({ nth, note: "n".repeat(300) }) },
  ...{ payload: null, acceptLanguage: null },
});

let killed: string;
let frames: number;

/** As kill -9 leaves it: a part of the entries in the database, the rest in the log, in commits of several pages. */
beforeAll(async () => {
  const living = newFolder();
  const databaseFile = join(living, "crossdock.db");
  const first = await openSqliteJournal({ databaseFile });
  for (let nth = 1; nth <= 40; nth++) await first.append([entry(nth)]);
  await first.close();
  const second = await openSqliteJournal({ databaseFile });
  for (let nth = 41; nth <= 120; nth += 5) await second.append([0, 1, 2, 3, 4].map((more) => entry(nth + more)));
  killed = newFolder();
  for (const part of files) copyFileSync(databaseFile + part, join(killed, `crossdock.db${part}`));
  const { mark } = readMark(databaseFile);
  if (mark === null) throw new Error("there is no mark");
  openMark(join(killed, "crossdock.db"), { ...mark, lastSeq: 120 }).abandon();
  await second.close();
  removeFolder(living);
  frames = (statSync(join(killed, "crossdock.db-wal")).size - headBytes) / frameBytes;
});

afterAll(() => removeFolder(killed));

function copyOfKilled(): string {
  const folder = temporaryFolder();
  for (const part of files) copyFileSync(join(killed, `crossdock.db${part}`), join(folder, `crossdock.db${part}`));
  const file = join(folder, "crossdock.db");
  copyFileSync(markFileOf(join(killed, "crossdock.db")), markFileOf(file));
  return file;
}

const counted = row({ found: integer });

function rowsIn(file: string) {
  const database = openDatabase(file);
  try {
    const count = (sql: string) => database.query(sql, counted).get()?.found ?? -1;
    return {
      entries: count("SELECT count(*) AS found FROM entry"),
      last: count("SELECT max(seq) AS found FROM entry"),
      given: count("SELECT seq AS found FROM last_entry"),
      bodies: count("SELECT count(*) AS found FROM entry_body"),
      lanes: count("SELECT count(*) AS found FROM entry_lane"),
    };
  } finally {
    database.close();
  }
}

const wholeUpTo = (seq: number) => ({
  entries: seq,
  last: seq,
  given: seq,
  bodies: seq,
  lanes: seq + seq - Math.min(seq, 6),
});

test.each(["missing", "emptied"])(
  "of a log that was cut off at any page, with a witness that is %s, whole commits are recovered and nothing of the next one",
  (how) => {
    for (let cut = 1; cut < frames; cut++) {
      const file = copyOfKilled();
      truncateSync(`${file}-wal`, headBytes + cut * frameBytes);
      if (how === "missing") rmSync(`${file}.witness`);
      else truncateSync(`${file}.witness`);
      const best = planRecovery(file, temporaryFolder(), 0)?.best;
      if (best == null) throw new Error(`nothing was recovered of ${cut} frames`);
      expect(rowsIn(best.file), `${cut} frames`).toEqual(wholeUpTo(best.lastSeq));
    }
  },
);

test("a damaged page that is written again before the cut loses nothing up to the cut", () => {
  const file = copyOfKilled();
  const bytes = readFileSync(`${file}-wal`);
  // Page 1 of the log is written by nearly every commit.
  const at = headBytes + 24 + 1000;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  const cut = frames - 3;
  writeFileSync(`${file}-wal`, bytes.subarray(0, headBytes + cut * frameBytes));
  const best = planRecovery(file, temporaryFolder(), 0)?.best;
  if (best == null) throw new Error("nothing was recovered");
  expect(best.lastSeq).toBeGreaterThan(100);
  expect(rowsIn(best.file)).toEqual(wholeUpTo(best.lastSeq));
});

test("a page number that was changed in the log does not bring back the older content of that page", () => {
  for (let frame = 0; frame < frames; frame++) {
    const file = copyOfKilled();
    const bytes = readFileSync(`${file}-wal`);
    const at = headBytes + frame * frameBytes + 3;
    bytes[at] = (bytes[at] ?? 0) ^ 2;
    writeFileSync(`${file}-wal`, bytes);
    const best = planRecovery(file, temporaryFolder(), 0)?.best;
    if (best == null) throw new Error(`nothing was recovered with frame ${frame}`);
    expect(rowsIn(best.file), `frame ${frame}`).toEqual(wholeUpTo(best.lastSeq));
  }
});
