import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { openSideDatabase } from "../../kit/sqlite/side-database.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { withProblems } from "../../mapping/run.ts";
import type { Batch } from "../../sdk/intake.ts";
import type { Engine } from "../engine.ts";
import { openKnownRecords } from "../quarantine/open-known-records.ts";
import { intakeFile, openIntakeFile, openQuarantine } from "../quarantine/open-quarantine.ts";
import type { PushedEntry } from "./read-push.ts";
import { createIntake } from "./take-batch.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "17:00" };

function opened({ folder = temporaryFolder(), fullAfter = Number.POSITIVE_INFINITY } = {}) {
  const clock = manualClock();
  const file = openIntakeFile({ dataFolder: folder, clock, timers: systemTimers, log: silentLog });
  const close = () => file.close();
  const appends: (readonly PushedEntry[])[] = [];
  let isClosed = false;
  onTestFinished(() => {
    if (!isClosed) close();
  });
  const accept: Engine["accept"] = async (entries) => {
    if (appends.length >= fullAfter) return { notStored: "the disk is full" };
    appends.push(entries);
    return { ids: entries.map((_, index) => `evt_${appends.length}_${index}`), unchanged: 0 };
  };
  const snapshot = { engine: { accept }, dates };
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
  const needs = { ...file, current: () => snapshot, timers: systemTimers, log };
  const intake = createIntake(needs);
  const entries = () => appends.flat().map(({ payload }) => JSON.parse(payload ?? ""));
  return {
    ...{ appends, entries, intake: intake("erp"), of: intake, quarantine: file.quarantine, folder, clock },
    ...{ current: needs.current, knownRecords: file.knownRecords, warnings },
    close: () => {
      isClosed = true;
      close();
    },
  };
}

const order = (number: string, amount = 1) => ({
  number,
  dueDate: "2030-03-01",
  requests: [{ itemNumber: "A-1", requestedAmount: amount }],
});
const orders = (elements: readonly unknown[], rest: Partial<Batch> = {}): Batch => ({
  topic: "workOrders",
  elements,
  origin: "orders.json",
  badRecords: "quarantine",
  ...rest,
});

test("good orders go into the journal in the contract's form, and a bad one waits in quarantine with its source field", async () => {
  const { intake, entries, quarantine } = opened();
  const sourceOf = (field: string) => (field === "requests[0].requestedAmount" ? "QTY" : undefined);
  const taken = await intake(orders([order("1"), order("2", 1.5), order("3")], { sourceOf }));
  expect(taken).toMatchObject({ ids: ["evt_1_0", "evt_1_1"], unchanged: 0, bad: [{ index: 1 }] });
  expect(entries()).toMatchObject([{ number: "1", dueDate: "2030-03-01T17:00:00+01:00" }, { number: "3" }]);
  expect(quarantine.list({ limit: 9 }).records).toMatchObject([
    {
      ...{ number: "2", origin: "orders.json" },
      problems: [{ field: "requests[0].requestedAmount", expected: "whole-number", found: "1.5", sourceField: "QTY" }],
    },
  ]);
});

test("a problem of the mapping is reported in the mapping's words, not as a wrong type", async () => {
  const { intake, quarantine } = opened();
  const unrounded = {
    value: order("1"),
    problems: [{ field: "requests[0].requestedAmount", text: "4.9 is not whole; give the rule a `round`" }],
  };
  await intake(orders([withProblems(unrounded)]));
  expect(quarantine.list({ limit: 9 }).records).toMatchObject([
    {
      problems: [{ field: "requests[0].requestedAmount", mappingNote: "4.9 is not whole; give the rule a `round`" }],
      fix: "requests[…].requestedAmount: 4.9 is not whole; give the rule a `round`",
    },
  ]);
});

test("a later good version of an order leaves quarantine by itself", async () => {
  const { intake, quarantine } = opened();
  await intake(orders([order("1", 1.5), order("2", 0)]));
  expect(quarantine.count()).toBe(2);
  await intake(orders([order("1", 2)]));
  expect(quarantine.list({ limit: 9 }).records.map(({ number }) => number)).toEqual(["2"]);
});

test("a bad record that every poll reads again is logged once, and again when it comes back", async () => {
  const { intake, warnings } = opened();
  for (let poll = 1; poll <= 3; poll++) await intake(orders([order("1", 1.5)]));
  await intake(orders([order("1", 1.5), order("2", 0)]));
  expect(warnings).toMatchObject([{ bad: 1 }, { bad: 1 }]);
  await intake(orders([order("1", 2)]));
  await intake(orders([order("1", 1.5)]));
  expect(warnings).toHaveLength(3);
});

test("if a file is imported completely or not at all, one bad order keeps everything back, and every mistake is named", async () => {
  const { intake, appends, quarantine } = opened();
  const taken = await intake(orders([order("1"), order("2", 0), {}], { badRecords: "refuse" }));
  expect(taken).toMatchObject({ ids: [], unchanged: 0, bad: [{ index: 1 }, { index: 2 }] });
  expect(appends).toEqual([]);
  expect(quarantine.count()).toBe(0);
});

test("the same content is not journaled again, not even after a restart; changed content is, and so is a change back", async () => {
  const first = opened();
  await first.intake(orders([order("1"), order("1"), order("2")]));
  expect(first.entries()).toHaveLength(2);
  first.close();
  const { intake, entries, of } = opened({ folder: first.folder });
  expect(await intake(orders([order("1"), order("2")]))).toMatchObject({ ids: [], unchanged: 2 });
  await intake(orders([order("1", 5)]));
  await intake(orders([order("1")]));
  expect(entries().map(({ requests }) => requests[0].requestedAmount)).toEqual([5, 1]);
  expect(await of("shop")(orders([order("1")]))).toMatchObject({ unchanged: 0 });
});

test("the same cancellation counts again once the order has changed, and cancellations of other lines are their own", async () => {
  const { intake } = opened();
  const cancel = (itemNumber: string): Batch => ({
    ...orders([{ workOrderNumber: "1", itemNumber }]),
    topic: "cancellations",
  });
  await intake(orders([order("1")]));
  expect(await intake(cancel("A-1"))).toMatchObject({ unchanged: 0 });
  expect(await intake(cancel("A-1"))).toMatchObject({ unchanged: 1 });
  expect(await intake(cancel("A-2"))).toMatchObject({ unchanged: 0 });
  await intake(orders([order("1", 7)]));
  expect(await intake(cancel("A-1"))).toMatchObject({ unchanged: 0 });
});

const cancellation = (rest: Partial<Batch> = {}): Batch => ({
  ...orders([{ workOrderNumber: "1" }], { origin: "cancelled", ...rest }),
  topic: "cancellations",
});

test("an order that is cancelled while its file is imported stays cancelled when the file is read again, but not by the next file", async () => {
  const { intake, clock } = opened();
  const file = () => orders([order("1")], { rereads: "never", claimedAt: clock.now() });
  const first = file();
  clock.advance({ seconds: 1 });
  expect(await intake(first)).toMatchObject({ unchanged: 0 });
  await intake(cancellation({ rereads: "never" }));
  clock.advance({ seconds: 1 });
  expect(await intake(first)).toMatchObject({ unchanged: 1 });
  expect(await intake(file())).toMatchObject({ unchanged: 0 });
  await intake(cancellation({ rereads: "never" }));
  clock.advance({ days: -1 });
  expect(await intake(file())).toMatchObject({ unchanged: 0 });
});

test("an order that was cancelled and comes again in another file is new, and so is its next cancellation", async () => {
  const { intake } = opened();
  for (let round = 1; round <= 2; round++) {
    expect(await intake(orders([order("1")], { rereads: "never" }))).toMatchObject({ unchanged: 0 });
    expect(await intake(cancellation({ rereads: "never" }))).toMatchObject({ unchanged: 0 });
    expect(await intake(cancellation({ rereads: "never" }))).toMatchObject({ unchanged: 1 });
  }
});

test("if a source does not say whether it rereads records, order and cancellation do not alternate for ever", async () => {
  const { intake } = opened();
  await intake(orders([order("1")]));
  await intake(cancellation());
  for (let round = 1; round <= 2; round++) {
    expect(await intake(orders([order("1")]))).toMatchObject({ unchanged: 1 });
    expect(await intake(cancellation())).toMatchObject({ unchanged: 1 });
  }
});

test("a poll treats a cancelled order as the old one if it is unchanged, and as released if it has changed later", async () => {
  const { intake, of } = opened();
  const found = (version: string) => orders([order("1")], { rereads: { versions: [version] } });
  const cancelled = (version: string) => cancellation({ rereads: { versions: [version] } });
  await intake(found("08:00"));
  // The order was changed in a way that does not concern us: its content is known, and the later version is remembered.
  expect(await intake(found("08:10"))).toMatchObject({ unchanged: 1 });
  await of("shop")(cancelled("09:00"));
  expect(await intake(found("08:10"))).toMatchObject({ unchanged: 1 });
  expect(await intake(orders([order("1")], { rereads: { isComparison: true } }))).toMatchObject({ unchanged: 1 });
  expect(await intake(found("10:00"))).toMatchObject({ unchanged: 0 });
  // The overlap of polls returns the old cancellation again; it must not cancel what was released later.
  expect(await of("shop")(cancelled("09:00"))).toMatchObject({ unchanged: 1 });
  expect(await of("shop")(cancelled("11:00"))).toMatchObject({ unchanged: 0 });
});

test("a poll without times treats a cancelled order as released if it was missing in between", async () => {
  const { intake, clock } = opened();
  const list = async (elements: readonly unknown[]) => {
    clock.advance({ seconds: 60 });
    const startedAt = clock.now();
    const taken = await intake(orders(elements, { rereads: {} }));
    intake.sourceRead?.({ topic: "workOrders", origin: "orders.json", startedAt });
    return taken;
  };
  await list([order("1"), order("2")]);
  clock.advance({ seconds: 1 });
  await intake(cancellation({ rereads: {} }));
  expect(await list([order("1"), order("2")])).toMatchObject({ unchanged: 2 });
  expect(await list([order("2")])).toMatchObject({ unchanged: 1 });
  expect(await intake(orders([order("1")], { rereads: { isComparison: true } }))).toMatchObject({ unchanged: 1 });
  expect(await list([order("1"), order("2")])).toMatchObject({ ids: ["evt_3_0"], unchanged: 1 });
});

/** What a source may say about one order or item, by topic, as a whole batch. */
const states = {
  stock: (amount: number) => ({ itemNumber: "A-1", amount }),
  items: (amount: number) => ({ number: "A-1", name: `Box of ${amount}` }),
  workOrders: (amount: number) => order("A-1", amount),
  indexableValues: (amount: number) => ({ workOrderNumber: "A-1", value: `Tour ${amount}` }),
} as const;
const stateTopics = Object.keys(states) as (keyof typeof states)[];
const saying = (topic: keyof typeof states, amount: number, rest: Partial<Batch> = {}): Batch => ({
  ...orders([states[topic](amount)], rest),
  topic,
});

test.each(stateTopics)("a file that repeats its %s counts again once a push has said otherwise", async (topic) => {
  const { intake, knownRecords } = opened();
  const file = saying(topic, 10, { rereads: "never" });
  expect(await intake(file)).toMatchObject({ unchanged: 0 });
  expect(await intake(file)).toMatchObject({ unchanged: 1 });
  knownRecords.overrule(topic, ["B-1", "A-1"]);
  expect(await intake(file)).toMatchObject({ unchanged: 0 });
  expect(await intake(file)).toMatchObject({ unchanged: 1 });
  knownRecords.overrule(topic, ["B-1"]);
  knownRecords.overrule(topic === "stock" ? "items" : "stock", ["A-1"]);
  expect(await intake(file)).toMatchObject({ unchanged: 1 });
});

test.each(stateTopics)(
  "a file that repeats its %s counts again once another source has said otherwise",
  async (topic) => {
    const { intake, of } = opened();
    const file = saying(topic, 10, { rereads: "never" });
    await intake(file);
    await of("shop")(file);
    expect(await intake(file)).toMatchObject({ unchanged: 1 });
    await of("shop")(saying(topic, 7, { rereads: {} }));
    expect(await intake(file)).toMatchObject({ unchanged: 0 });
    expect(await intake(file)).toMatchObject({ unchanged: 1 });
  },
);

test("a stock level at another location is a level of its own", async () => {
  const { intake, of } = opened();
  const level = (locationName: string, amount: number): Batch => ({
    ...orders([{ itemNumber: "A-1", locationName, amount }], { rereads: "never" }),
    topic: "stock",
  });
  await intake(level("L-1", 10));
  await of("shop")(level("L-2", 7));
  expect(await intake(level("L-1", 10))).toMatchObject({ unchanged: 1 });
});

test.each(stateTopics)(
  "a poll does not bring the old %s back after a push, unless its record has changed",
  async (topic) => {
    const { intake, knownRecords } = opened();
    const found = (version: string) => saying(topic, 10, { rereads: { versions: [version] } });
    await intake(found("08:00"));
    knownRecords.overrule(topic, ["A-1"]);
    for (let poll = 1; poll <= 3; poll++) expect(await intake(found("08:00"))).toMatchObject({ unchanged: 1 });
    expect(await intake(saying(topic, 10, { rereads: { isComparison: true } }))).toMatchObject({ unchanged: 1 });
    expect(await intake(found("09:00"))).toMatchObject({ unchanged: 0 });
    // A source that does not say how it reads could be such a poll.
    knownRecords.overrule(topic, ["A-1"]);
    expect(await intake(saying(topic, 10))).toMatchObject({ unchanged: 1 });
  },
);

test("a poll without times brings back what a push has changed only for records that were missing in between", async () => {
  const { intake, clock, knownRecords } = opened();
  const numbers = Array.from({ length: 350 }, (_, nth) => `A-${nth}`);
  const list = async (found: readonly string[]) => {
    clock.advance({ seconds: 60 });
    const startedAt = clock.now();
    clock.advance({ seconds: 1 });
    const elements = found.map((itemNumber) => ({ itemNumber, amount: 10 }));
    const taken = await intake({ ...orders(elements, { rereads: {}, origin: "stock" }), topic: "stock" });
    intake.sourceRead?.({ topic: "stock", origin: "stock", startedAt });
    return taken;
  };
  await list(numbers);
  clock.advance({ seconds: 1 });
  knownRecords.overrule("stock", numbers);
  expect(await list(numbers)).toMatchObject({ unchanged: 350 });
  expect(await list(numbers.slice(1))).toMatchObject({ unchanged: 349 });
  expect(await list(numbers)).toMatchObject({ ids: [expect.any(String)], unchanged: 349 });
});

test("of two orders with the same number and different content the first is imported, and the second is quarantined", async () => {
  const { intake, entries, quarantine } = opened();
  for (let poll = 1; poll <= 2; poll++) await intake(orders([order("1", 1), order("1", 2)]));
  expect(entries()).toMatchObject([{ number: "1", requests: [{ requestedAmount: 1 }] }]);
  expect(quarantine.list({ limit: 9 }).records).toMatchObject([
    { number: "1", count: 2, problems: [{ expected: "unique", detail: "1" }] },
  ]);
});

test("a large import is stored in pieces, and the event loop runs between them", async () => {
  const { intake, appends } = opened();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await intake(orders(Array.from({ length: 2000 }, (_, index) => order(String(index)))));
  isOver = true;
  expect(Math.max(...appends.map((entries) => entries.length))).toBeLessThanOrEqual(500);
  expect(appends.flat()).toHaveLength(2000);
  expect(turns).toBeGreaterThan(30);
});

test("cancellations are stored a few at a time: each may change a long order", async () => {
  const { intake, appends } = opened();
  const elements = Array.from({ length: 30 }, (_, index) => ({ workOrderNumber: "N", itemNumber: `A-${index}` }));
  await intake({ ...orders(elements), topic: "cancellations" });
  expect(Math.max(...appends.map((entries) => entries.length))).toBeLessThanOrEqual(4);
  expect(appends.flat()).toHaveLength(30);
});

test("a failure to store is reported, and the next attempt stores the rest and nothing twice", async () => {
  const many = Array.from({ length: 600 }, (_, index) => order(String(index)));
  const first = opened({ fullAfter: 1 });
  expect(await first.intake(orders(many))).toEqual({ notStored: "the disk is full" });
  first.close();
  const second = opened({ folder: first.folder });
  await second.intake(orders(many));
  const numbers = [...first.entries(), ...second.entries()].map(({ number }) => number);
  expect(numbers).toEqual(many.map(({ number }) => number));
});

test("elements in portions are all checked before the first is imported, and are then read a second time", async () => {
  const { intake, entries } = opened();
  const elements = Array.from({ length: 300 }, (_, index) => ({ row: index + 2, element: order(`N-${index}`) }));
  let times = 0;
  const portionsOf = (all: typeof elements) =>
    async function* () {
      times++;
      for (let at = 0; at < all.length; at += 100) yield all.slice(at, at + 100);
    };
  const spoiled = [...elements, { row: 900, element: order("N-X", 1.5) }, { row: 901, element: order("N-1", 7) }];
  const refused = await intake(orders([], { portions: portionsOf(spoiled), badRecords: "refuse" }));
  expect(refused).toMatchObject({
    ids: [],
    bad: [
      { index: 300, row: 900 },
      { index: 301, row: 901 },
    ],
  });
  expect([entries(), times]).toEqual([[], 1]);
  const taken = await intake(orders([], { portions: portionsOf(elements), badRecords: "refuse" }));
  expect(taken).toEqual({ ids: [], count: 300, unchanged: 0, bad: [] });
  expect([entries().length, times]).toEqual([300, 3]);
});

test("a batch whose bad records cannot be put into quarantine fails, so that its source brings them again", async () => {
  const { current, clock, entries } = opened();
  const common = { clock, timers: systemTimers, log: silentLog };
  const database = openSideDatabase(intakeFile, { dataFolder: temporaryFolder(), log: silentLog });
  onTestFinished(() => database.close());
  const quarantine = openQuarantine({ database, ...common });
  const knownRecords = openKnownRecords({ database, clock });
  const intake = createIntake({ current, quarantine, knownRecords, ...common })("erp");
  const batch = orders([order("1"), { ...order("2", 1.5), description: "x".repeat(10_000) }]);
  // SQLite fails as on a full disk.
  database.exec("PRAGMA max_page_count = 1");
  await expect(intake(batch)).rejects.toThrow("could not be put into quarantine");
  database.exec("PRAGMA max_page_count = 100000");
  expect(await intake(batch)).toMatchObject({ ids: [], unchanged: 1, bad: [{ index: 1 }] });
  expect(quarantine.count()).toBe(1);
  expect(entries()).toHaveLength(1);
});

test("an order that was cancelled by a push is not offered again after a poll in which its record was bad", async () => {
  const { intake, entries, knownRecords, clock } = opened();
  const poll = async (elements: readonly unknown[]) => {
    clock.advance({ minutes: 1 });
    const startedAt = clock.now();
    clock.advance({ seconds: 1 });
    await intake(orders(elements, { rereads: {} }));
    intake.sourceRead?.({ topic: "workOrders", origin: "orders.json", startedAt });
  };
  await poll([order("1")]);
  clock.advance({ minutes: 1 });
  knownRecords.overrule("cancellations", ["1"]);
  await poll([order("1", 1.5)]);
  await poll([order("1")]);
  expect(entries()).toHaveLength(1);
  // A control: an order that was really missing has been released again.
  await poll([]);
  await poll([order("1")]);
  expect(entries()).toHaveLength(2);
});
