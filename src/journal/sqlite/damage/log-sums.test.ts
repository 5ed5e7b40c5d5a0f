import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { eachPage } from "../../../kit/sqlite/sqlite-log.ts";
import { makeDurable } from "../writer/durability.ts";
import { logSums, mostAtOnce } from "./log-sums.ts";
import { openSums, sumOf } from "./page-sums.ts";

/** A log of more than a thousand frames that nobody has folded. */
function longLog() {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const database = openDatabase(databaseFile);
  onTestFinished(() => database.close());
  makeDurable(database);
  database.exec(`CREATE TABLE text (text TEXT);
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1100)
    INSERT INTO text SELECT hex(zeroblob(2000)) || n FROM n;`);
  const frames =
    database.query("PRAGMA wal_checkpoint(NOOP)", row({ busy: integer, log: integer, checkpointed: integer })).get()
      ?.log ?? 0;
  const sums = openSums(databaseFile);
  onTestFinished(() => sums.close());
  let set = 0;
  const counting: typeof sums = {
    ...sums,
    set: (page, sum) => {
      set++;
      sums.set(page, sum);
    },
  };
  return { logFile: `${databaseFile}-wal`, frames, sums: counting, set: () => set };
}

test("the sums of a long log are taken a few at a time, and others get their turn in between", async () => {
  const { logFile, frames, sums, set } = longLog();
  expect(frames).toBeGreaterThan(4 * mostAtOnce);
  const { sumInTurns } = logSums(logFile, sums);
  let isOver = false;
  const steps: number[] = [];
  const summing = sumInTurns(frames).then(() => {
    isOver = true;
  });
  for (let before = 0; !isOver; before = set(), await new Promise((next) => setImmediate(next))) {
    steps.push(set() - before);
  }
  await summing;
  expect(set()).toBe(frames);
  expect(Math.max(...steps)).toBeLessThanOrEqual(mostAtOnce);
  // A page that is in the log twice has the sum of its later version.
  const last = new Map<number, number>();
  eachPage(logFile, { from: 0, to: frames }, (page, bytes) => last.set(page, sumOf(bytes)));
  expect([...last.keys()].map(sums.of)).toEqual([...last.values()]);
});

test("behind one commit no more sums are taken than a few, also where the log was long before", () => {
  const { logFile, frames, sums, set } = longLog();
  const { sumSome, sumAll } = logSums(logFile, sums);
  sumSome(frames);
  expect(set()).toBe(mostAtOnce);
  sumSome(mostAtOnce + 1);
  expect(set()).toBe(mostAtOnce);
  sumAll(frames);
  expect(set()).toBe(frames);
});
