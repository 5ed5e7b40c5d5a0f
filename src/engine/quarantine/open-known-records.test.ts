import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { foldsEnded } from "../../kit/sqlite/synced-log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { openIntakeFile } from "./open-quarantine.ts";
import { openOverruling, type StoredPush } from "./overruled-until.ts";

test("the log stays short while a source is read day after day in which nothing is new", async () => {
  const dataFolder = temporaryFolder();
  const clock = manualClock();
  const file = openIntakeFile({ dataFolder, clock, timers: systemTimers, log: silentLog });
  const log = join(dataFolder, "intake.db-wal");
  const records = Array.from({ length: 1_000 }, (_, nth) => ({
    ...{ source: "erp", topic: "items" as const, number: `A-${nth}`, part: "", digest: `${nth}` },
  }));
  file.knownRecords.remember(records);
  const logBytes = () => (existsSync(log) ? statSync(log).size : 0);
  for (let day = 0; day < 8; day++) {
    clock.advance({ days: 2 });
    for (const record of records) {
      expect(file.knownRecords.isKnown(record, "compared")).toBe(true);
      await nextTurn();
    }
    file.knownRecords.missed("erp", { topic: "items", origin: "", startedAt: clock.now() });
  }
  // It is folded beyond 8 MiB, and what is written meanwhile stays. Without folds it has more than 60 MiB.
  await expect.poll(logBytes, { timeout: 20_000 }).toBeLessThan(20 * 2 ** 20);
  file.close();
  await foldsEnded(dataFolder);
}, 60_000);

const order = (digest: string, number = "1") => ({
  ...{ source: "erp", topic: "workOrders" as const, number, part: "", digest },
});

/** A journal of pushed orders, and the file beside it. */
function stage(isCatchingUp: () => boolean = () => false) {
  const dataFolder = temporaryFolder();
  const clock = manualClock();
  const entries: StoredPush[] = [];
  const push = (number = "1") => {
    clock.advance({ ms: 10 });
    entries.push({ topic: "workOrders", receivedAt: clock.now(), lanes: [`wo:${number}`], sender: "key" });
  };
  const stored = {
    lastSeq: () => entries.length,
    between: (after: number, upTo: number) => entries.slice(after, upTo),
  };
  const open = () => {
    const file = openIntakeFile({ dataFolder, clock, timers: systemTimers, log: silentLog });
    const { knownRecords } = file;
    const needs = {
      knownRecords,
      stored,
      isConnector: (name: string) => name === "erp",
      isCatchingUp,
      timers: systemTimers,
      log: silentLog,
    };
    return { ...file, overruling: openOverruling(needs) };
  };
  return { clock, entries, push, open };
}

test("a push that has overruled nothing yet is found however many entries follow, and what was said since stays", async () => {
  const { clock, entries, push, open } = stage();
  const { knownRecords, overruling, close } = open();
  await overruling.upToDate();
  knownRecords.remember([order("a"), order("b", "2")], overruling.until());
  push();
  push("2");
  clock.advance({ ms: 10 });
  knownRecords.remember([order("c", "2")]);
  for (let nth = 0; nth < 1_200; nth++)
    entries.push({ topic: "items", receivedAt: clock.now(), lanes: [`item:${nth}`], sender: "key" });
  close();

  const next = open();
  const isNews = (record: ReturnType<typeof order>) => !next.knownRecords.isKnown(record, "once", clock.now() + 1);
  expect(isNews(order("a"))).toBe(false);
  await next.overruling.upToDate();
  expect(isNews(order("a"))).toBe(true);
  expect(isNews(order("c", "2"))).toBe(false);
  expect(next.knownRecords.overruledUntil()).toBe(1_202);
  next.close();
});

test("a push that is being stored is not passed over by one that is ready before it", async () => {
  const { clock, push, open } = stage();
  const { knownRecords, overruling, close } = open();
  await overruling.upToDate();
  knownRecords.remember([order("a"), order("a", "2")]);
  const slow = overruling.begin();
  push();
  const quick = overruling.begin();
  await quick.overrule([{ topic: "workOrders", numbers: ["2"] }]);
  quick.end();
  // Here the process ends: `slow` overrules nothing.
  close();
  slow.end();
  const next = open();
  await next.overruling.upToDate();
  expect(next.knownRecords.isKnown(order("a"), "once", clock.now() + 1)).toBe(false);
  next.close();
});

test("records wait until the last push of an earlier process is stored completely", async () => {
  let isCatchingUp = true;
  const { clock, push, open } = stage(() => isCatchingUp);
  const { knownRecords, overruling, close } = open();
  knownRecords.remember([order("a")]);
  await expect(overruling.upToDate()).rejects.toThrow("still being stored");
  push();
  isCatchingUp = false;
  await overruling.upToDate();
  expect(knownRecords.isKnown(order("a"), "once", clock.now() + 1)).toBe(false);
  close();
});
