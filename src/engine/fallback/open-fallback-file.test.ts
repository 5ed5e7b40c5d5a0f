import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { knownAnswers } from "./known-answers.ts";
import { openFallbackFile } from "./open-fallback-file.ts";

const timers = () => manualTimers(manualClock());
const open = (dataFolder: string) => openFallbackFile({ dataFolder, timers: timers(), log: silentLog });

test("a damaged file is deleted, and its data is collected again", () => {
  const folder = temporaryFolder();
  const file = join(folder, "fallback.db");
  const first = open(folder);
  for (let item = 0; item < 500; item++) {
    first.of("erp").rememberAnswer("getItem", String(item), { at: 1, text: "x".repeat(500) });
  }
  first.close();
  // The file as after a power failure: it was not closed properly, and some of its pages never reached the disk.
  const database = openDatabase(file);
  database.exec("PRAGMA user_version = 0; PRAGMA journal_mode = DELETE");
  database.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 4096 * 3, bytes.length - 4096));
  const second = open(folder);
  expect(second.of("erp").answer("getItem", "7")).toBeUndefined();
  second.of("erp").rememberAnswer("getItem", "7", { at: 2, text: "{}" });
  second.close();
  const third = open(folder);
  expect(third.of("erp").answer("getItem", "7")).toEqual({ at: 2, text: "{}" });
  third.close();
  expect(existsSync(file)).toBe(true);
});

test("each connector has only its own answers", () => {
  const file = open(temporaryFolder());
  file.of("erp").rememberAnswer("getItem", "7", { at: 1, text: "1" });
  expect(file.of("shop").answer("getItem", "7")).toBeUndefined();
  expect(file.of("erp").answer("getItemImage", "7")).toBeUndefined();
  expect(file.of("erp").answer("getItem", "7")).toEqual({ at: 1, text: "1" });
  file.close();
});

test("the oldest answers are removed to make room for new ones, by number and by size", () => {
  const folder = temporaryFolder();
  open(folder).close();
  const database = openDatabase(join(folder, "fallback.db"));
  onTestFinished(() => database.close());
  const limits = { maxAnswers: 100, maxCharacters: 20_000 };
  const answers = knownAnswers({ database, timers: timers(), log: silentLog, ...limits });
  const erp = answers.of("erp");
  for (let at = 1; at <= 150; at++) erp.rememberAnswer("getItem", `item ${at}`, { at, text: "{}" });
  answers.flush();
  expect(erp.answer("getItem", "item 50")).toBeUndefined();
  expect(erp.answer("getItem", "item 51")).toBeDefined();
  for (let at = 200; at < 210; at++) erp.rememberAnswer("getItemImage", `item ${at}`, { at, text: "x".repeat(5_000) });
  answers.flush();
  const kept = database.statement("SELECT count(*) AS count, sum(size) AS size FROM answer").get();
  expect(kept).toMatchObject({ count: 3 });
  expect(Number(kept?.["size"])).toBeLessThanOrEqual(20_000);
  expect(erp.answer("getItemImage", "item 209")).toBeDefined();
  erp.rememberAnswer("getItemImage", "huge", { at: 300, text: "x".repeat(5_000_000) });
  expect(erp.answer("getItemImage", "huge")).toBeUndefined();
});

test("no more than two million characters are written in one step", () => {
  const folder = temporaryFolder();
  open(folder).close();
  const database = openDatabase(join(folder, "fallback.db"));
  onTestFinished(() => database.close());
  const answers = knownAnswers({ database, timers: timers(), log: silentLog });
  const erp = answers.of("erp");
  const written = () => database.statement("SELECT count(*) AS count FROM answer").get()?.["count"];
  const counts = ["A", "B", "C"].map((item, at) => {
    erp.rememberAnswer("getItemImage", item, { at, text: "x".repeat(1_500_000) });
    return written();
  });
  expect(counts).toEqual([0, 1, 2]);
  erp.rememberAnswer("getItemImage", "D", { at: 3, text: "x".repeat(2_000_001) });
  expect(erp.answer("getItemImage", "D")).toBeUndefined();
  answers.flush();
  expect(written()).toBe(3);
});

test("on a full disk answers are not stored, nothing is thrown, and it goes on when there is space again", () => {
  const folder = temporaryFolder();
  open(folder).close();
  const database = openDatabase(join(folder, "fallback.db"));
  onTestFinished(() => database.close());
  const answers = knownAnswers({ database, timers: timers(), log: silentLog, maxAnswers: 1 });
  const erp = answers.of("erp");
  // SQLite fails as on a full disk, and rolls back by itself.
  database.exec("PRAGMA max_page_count = 1");
  erp.rememberAnswer("getItem", "A", { at: 1, text: "x".repeat(10_000) });
  answers.flush();
  expect(erp.answer("getItem", "A")).toBeUndefined();
  database.exec("PRAGMA max_page_count = 100000");
  erp.rememberAnswer("getItem", "B", { at: 2, text: "x".repeat(10_000) });
  answers.flush();
  // The answer that was not stored is not counted: the limit of one would have removed this one.
  expect(erp.answer("getItem", "B")?.at).toBe(2);
});
