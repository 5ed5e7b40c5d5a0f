import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newFolder, removeFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integer, row, text } from "../../../kit/sqlite/row.ts";
import { type Database, openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { readLog } from "../../../kit/sqlite/sqlite-log.ts";
import type { NewEntry } from "../../entry.ts";
import { markFileOf } from "../damage/journal-mark.ts";
import { openStoreGuard } from "../damage/store-guard.ts";
import { openSqliteJournal } from "../open-sqlite-journal.ts";
import { planRecovery, type Recovery } from "./plan-recovery.ts";

const count = 400;
const pageBytes = 4096;
const files = ["", "-wal", "-shm", ".witness", ".sums", ".answers"];

const entry = (nth: number): NewEntry => ({
  ...{ id: `evt_${nth}`, direction: "in", topic: "workOrders", lanes: [`wo:${nth % 9}`, `wo:${nth}`] },
  ...{ receivedAt: 1000 + nth, body: JSON.stringify({ nth, note: "n".repeat(nth % 50 === 0 ? 9_000 : 200) }) },
  ...{ payload: null, acceptLanguage: null, target: "erp", handling: "queue" },
});

let killed: string;
/** The rows of every table, as JSON, by table. */
let before: Map<string, Set<string>>;

/** As kill -9 leaves it: most entries in the database, the last ones in the log. */
beforeAll(async () => {
  const living = newFolder();
  const databaseFile = join(living, "crossdock.db");
  const first = await openSqliteJournal({ databaseFile });
  for (let nth = 1; nth < count - 10; nth += 10) {
    await first.append(Array.from({ length: 10 }, (_, more) => entry(nth + more)));
  }
  for (let seq = 1; seq <= count / 2; seq++) {
    await first.start(seq, "token");
    const attempt = { startedAt: 1, endedAt: 2, status: 200, response: "ok" };
    await first.settle({ seq, token: "token" }, { state: "delivered" }, attempt);
  }
  await first.close();
  const second = await openSqliteJournal({ databaseFile });
  for (let nth = count - 9; nth <= count; nth++) await second.append([entry(nth)]);
  killed = newFolder();
  for (const part of files) copyFileSync(databaseFile + part, join(killed, `crossdock.db${part}`));
  copyFileSync(markFileOf(databaseFile), markFileOf(join(killed, "crossdock.db")));
  await second.close();
  removeFolder(living);
  const whole = copyOfKilled(newFolder());
  openStoreGuard(whole).close(() => {});
  before = rowsIn(whole);
});

afterAll(() => removeFolder(killed));

function copyOfKilled(folder = temporaryFolder()): string {
  const file = join(folder, "crossdock.db");
  for (const part of files) copyFileSync(join(killed, `crossdock.db${part}`), file + part);
  copyFileSync(markFileOf(join(killed, "crossdock.db")), markFileOf(file));
  return file;
}

const tableRow = row({ name: text });

function using<Result>(file: string, use: (database: Database) => Result): Result {
  const database = openDatabase(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const rowsIn = (file: string) =>
  using(file, (database) => {
    const tables = database.query("SELECT name FROM sqlite_schema WHERE type = 'table'", tableRow).all();
    return new Map(
      tables.map(({ name }) => [
        name,
        new Set([...database.statement(`SELECT * FROM ${name}`, 0).iterate()].map((one) => JSON.stringify(one))),
      ]),
    );
  });

/** The pages of the database that are not in the log. */
function pagesOutsideLog(file: string): number[] {
  const log = readLog(`${file}-wal`);
  const pages = readFileSync(file).length / pageBytes;
  return Array.from({ length: pages }, (_, nth) => nth + 1).filter((page) => log?.pages.has(page) !== true);
}

function spoil(file: string, page: number, how: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  how(bytes.subarray((page - 1) * pageBytes, page * pageBytes));
  writeFileSync(file, bytes);
}

const zeros = (bytes: Buffer): void => void bytes.fill(0);

const random = (bytes: Buffer): void => {
  let state = 12_345;
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
};

const numbersIn = (ranges: readonly { from: number; to: number }[] = []) =>
  new Set(ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, nth) => from + nth)));

/** Whatever is missing must be named, and nothing may be there that was not. */
function judge(best: Recovery, what: string): { lost: number } {
  const after = rowsIn(best.file);
  const { entries, contents, skipped, tables } = best.loss ?? { entries: [], contents: [], skipped: [], tables: [] };
  const named = { entries: numbersIn(entries), contents: numbersIn(contents), skipped: numbersIn(skipped) };
  const seqs = (rows: ReadonlySet<string>) => new Set([...rows].map((one) => Number((JSON.parse(one) as number[])[0])));
  const there = seqs(after.get("entry") ?? new Set());
  const bodies = seqs(after.get("entry_body") ?? new Set());
  for (let seq = 1; seq <= count; seq++) {
    expect(there.has(seq), `${what}: entry ${seq}`).toBe(!named.entries.has(seq));
    if (there.has(seq)) expect(bodies.has(seq), `${what}: content ${seq}`).toBe(!named.contents.has(seq));
  }
  for (const name of ["entry", "entry_body", "entry_lane", "attempt"]) {
    for (const one of after.get(name) ?? []) {
      const isSkipped = name === "entry" && named.skipped.has(Number((JSON.parse(one) as number[])[0]));
      if (!isSkipped && before.get(name)?.has(one) !== true)
        throw new Error(`${what}: ${name} has another row: ${one.slice(0, 80)}`);
    }
  }
  const lanes = [...(before.get("entry_lane") ?? [])].filter(
    (one) => !named.entries.has(Number((JSON.parse(one) as [string, string, number])[2])),
  );
  expect(after.get("entry_lane")?.size, `${what}: lanes`).toBe(lanes.length);
  const isAttemptNamed = tables.some(({ table }) => table === "attempt");
  if (!isAttemptNamed && named.entries.size === 0) {
    expect(after.get("attempt")?.size, `${what}: attempts`).toBe(before.get("attempt")?.size);
  }
  return { lost: named.entries.size };
}

/** Without these nobody knows which tables there are. */
function pagesOfTheList(file: string): ReadonlySet<number> {
  return using(file, (database) => {
    const pages = database.query(
      "SELECT pageno AS page FROM dbstat WHERE name = 'sqlite_schema'",
      row({ page: integer }),
    );
    return new Set(pages.all().map(({ page }) => page));
  });
}

test("one damaged page, whichever it is, costs only the rows on it, and these are named", () => {
  const tables = pagesOfTheList(copyOfKilled());
  for (const [how, damage] of Object.entries({ zeros, random })) {
    for (const page of pagesOutsideLog(copyOfKilled())) {
      const file = copyOfKilled();
      spoil(file, page, damage);
      const { best = null, refused: why } = planRecovery(file, temporaryFolder(), 5000) ?? {};
      if (best === null) {
        expect([...tables], `page ${page} is refused: ${why}`).toContain(page);
        continue;
      }
      // SQLite considers it intact, so all of it is kept, and the doubt is said.
      if (best.loss == null) expect(best, `page ${page}`).toMatchObject({ missing: null, doubtfulPages: 1 });
      else expect(judge(best, `page ${page}, ${how}`).lost, `page ${page}`).toBeLessThan(60);
    }
  }
});

test("pages that were swapped are put back, and nothing is lost", () => {
  const pages = pagesOutsideLog(copyOfKilled());
  for (let nth = 2; nth + 7 < pages.length; nth += 3) {
    const file = copyOfKilled();
    const [one = 0, other = 0] = [pages[nth], pages[nth + 7]];
    const bytes = readFileSync(file);
    const first = Buffer.from(bytes.subarray((one - 1) * pageBytes, one * pageBytes));
    bytes.copyWithin((one - 1) * pageBytes, (other - 1) * pageBytes, other * pageBytes);
    first.copy(bytes, (other - 1) * pageBytes);
    writeFileSync(file, bytes);
    const plan = planRecovery(file, temporaryFolder(), 5000);
    // The two had the same content.
    if (
      plan === null &&
      one !== other &&
      first.equals(readFileSync(file).subarray((one - 1) * pageBytes, one * pageBytes))
    )
      continue;
    const best = plan?.best;
    if (best == null) throw new Error(`nothing was recovered with pages ${one} and ${other}`);
    expect(best).toMatchObject({ missing: null, doubtfulPages: 0 });
    expect(rowsIn(best.file)).toEqual(before);
  }
});

test("of a database that was cut off by some pages, the rows of the others are recovered", () => {
  for (const cut of [1, 3, 10]) {
    const file = copyOfKilled();
    truncateSync(file, readFileSync(file).length - cut * pageBytes);
    const best = planRecovery(file, temporaryFolder(), 5000)?.best;
    if (best == null) throw new Error(`nothing was recovered without ${cut} pages`);
    judge(best, `without ${cut} pages`);
  }
});

test("a recovered journal goes on: the start takes it, and numbers of lost entries are not used again", async () => {
  const file = copyOfKilled();
  const pages = pagesOutsideLog(file);
  for (const page of pages.slice(-6, -2)) spoil(file, page, random);
  const best = planRecovery(file, temporaryFolder(), 5000)?.best;
  if (best == null) throw new Error("nothing was recovered");
  judge(best, "several pages");
  const journal = await openSqliteJournal({ databaseFile: best.file });
  expect(await journal.append([entry(count + 1)])).toMatchObject([{ seq: count + 1 }]);
  await journal.close();
});

test("a young database whose tables were in the lost log is refused, and the reason is said", async () => {
  const living = temporaryFolder();
  const databaseFile = join(living, "crossdock.db");
  const journal = await openSqliteJournal({ databaseFile });
  await journal.append([entry(1)]);
  const file = join(temporaryFolder(), "crossdock.db");
  for (const part of ["", ".witness", ".sums", ".answers"]) copyFileSync(databaseFile + part, file + part);
  await journal.close();
  expect(planRecovery(file, temporaryFolder(), 5000)).toMatchObject({
    best: null,
    refused: "it does not have the tables of a journal",
  });
});
