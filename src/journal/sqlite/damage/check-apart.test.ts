import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { migrate } from "../migrations.ts";
import { makeDurable } from "../writer/durability.ts";
import { hostWriter } from "../writer/host-writer.ts";
import type { FromWriter } from "../writer/writer-messages.ts";
import { checkApart } from "./check-apart.ts";
import { inspectStore } from "./inspect-store.ts";
import { StoreDamaged } from "./open-alone.ts";
import { sumsFileOf } from "./page-sums.ts";

/** A database as a process that has followed the owner leaves it: without sums. */
function followed({ megabytes }: { readonly megabytes: number }): string {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const database = openDatabase(databaseFile);
  makeDurable(database);
  migrate(database);
  database.exec(
    `CREATE TABLE text (text TEXT);
     WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${megabytes * 256})
     INSERT INTO text SELECT hex(zeroblob(2000)) FROM n`,
  );
  database.close();
  return databaseFile;
}

/** Overwrites a page in the middle. */
function damage(databaseFile: string): void {
  const file = openSync(databaseFile, "r+");
  writeSync(file, Buffer.alloc(4096, 0xee), 0, 4096, 4096 * Math.floor(statSync(databaseFile).size / 8192));
  closeSync(file);
}

test("a large database without sums is checked in another thread, and has sums of all pages then", async () => {
  const databaseFile = followed({ megabytes: 10 });
  let isOver = false;
  let turns = 0;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await checkApart(databaseFile)).toBe(true);
  isOver = true;
  // Checked in this thread, it would have had none.
  expect(turns).toBeGreaterThan(1);
  expect(inspectStore(databaseFile)).toMatchObject({ damages: [], notices: [], areSumsWhole: true });
  // Nothing is missing any more.
  expect(await checkApart(databaseFile)).toBe(false);
});

test("a small database is not worth a thread", async () => {
  expect(await checkApart(followed({ megabytes: 1 }))).toBe(false);
});

test("damage that is found there is reported as damage", async () => {
  const databaseFile = followed({ megabytes: 10 });
  damage(databaseFile);
  await expect(checkApart(databaseFile)).rejects.toBeInstanceOf(StoreDamaged);
});

test("a writer with a replica opens what was checked apart, and compares a page again when it is opened anew", async () => {
  const databaseFile = followed({ megabytes: 10 });
  const open = async () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const said: FromWriter[] = [];
    port1.on("message", (message: FromWriter) => said.push(message));
    const module = `data:text/javascript,${encodeURIComponent("export const openReplica = () => null;")}`;
    const nothing = { projectionModule: null, projectionOptions: null, emissionTarget: null };
    const settings = { ...nothing, databaseFile, replica: { module, options: null }, checkedBytes: 2 ** 30 };
    await hostWriter({ port: port2, settings, inTurn: (work) => work() });
    await expect.poll(() => said.length).toBeGreaterThan(0);
    port1.postMessage("close");
    await expect.poll(() => said.some((message) => "closed" in message)).toBe(true);
    return said;
  };
  expect(await open()).toContainEqual(expect.objectContaining({ ready: [] }));
  damage(databaseFile);
  expect(await open()).toContainEqual(
    expect.objectContaining({ damages: [expect.stringContaining("not as written")] }),
  );
  rmSync(sumsFileOf(databaseFile));
  expect(await open()).toContainEqual(expect.objectContaining({ damages: expect.any(Array) }));
});
