import { expect, test } from "vitest";
import { adminSetup, setupTarget } from "../../../test/support/adapter/admin-setup.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { localise } from "../../messages/localise.ts";
import type { TargetOverview } from "../delivery/outbox.ts";
import {
  adapterConditions,
  entryConditions,
  type SilenceRule,
  silenceConditions,
  targetConditions,
  type WorkingHours,
} from "./alarm-conditions.ts";
import { entryTexts } from "./entry-texts.ts";
import { flowMarks } from "./flow-watch.ts";
import { sourceFailures } from "./source-failures.ts";

const timeZone = "Europe/Berlin";
const hours: WorkingHours = {
  days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
  from: "06:00",
  to: "22:00",
};

function flows(at: string) {
  const clock = manualClock(Date.parse(at));
  return { clock, marks: flowMarks({ clock, file: { marks: () => new Map(), storeMarks: () => {} } }) };
}

test("an hour without orders is missed after an hour of work, not at the first minute of Monday", () => {
  const { clock, marks } = flows("2026-01-09T21:50+01:00");
  const rules: SilenceRule[] = [{ expect: "workOrders", minutes: 60, always: false }];
  const found = () => silenceConditions({ rules, flows: marks, now: clock.now(), hours, timeZone });
  marks.note("workOrders", "shop");
  expect(found()).toEqual([]);
  clock.advance({ minutes: 10 + 56 * 60 + 49 });
  expect(found()).toEqual([]);
  clock.advance({ minutes: 1 });
  expect(found()).toMatchObject([{ kind: "silence", subject: "workOrders", isQuiet: false }]);
  expect(found().map(({ text }) => localise(text, "en"))).toEqual([
    "No work order since 2026-01-09 21:50. Check the sender and the line to it.",
  ]);
  marks.note("workOrders", "erp");
  expect(found()).toEqual([]);
});

test("a named sender is missed even while others send, and at night too if that is configured", () => {
  const { clock, marks } = flows("2026-01-10T23:00+01:00");
  const rules: SilenceRule[] = [
    { expect: "workOrders", of: "shop", minutes: 30, always: true },
    { expect: "requests", minutes: 30, always: false },
  ];
  const found = () => silenceConditions({ rules, flows: marks, now: clock.now(), hours, timeZone });
  expect(found()).toEqual([]);
  clock.advance({ minutes: 31 });
  marks.note("workOrders", "erp");
  expect(found().map(({ subject }) => subject)).toEqual(["workOrders of shop"]);
});

test("a connector is named while one of its polls or folders fails, and not while another one works", () => {
  const clock = manualClock(Date.parse("2026-01-05T08:00+01:00"));
  const failures = sourceFailures({ clock });
  const texts = () => failures.conditions({ timeZone, minutes: 15 }).map(({ text }) => localise(text, "en"));
  failures.note("erp", "orders", "worked");
  expect(texts()).toEqual([]);
  failures.note("erp", "orders", "failed");
  clock.advance({ minutes: 2 });
  failures.note("erp", "items", "failed");
  failures.note("erp", "stock", "worked");
  failures.note("erp", "orders", "failed");
  expect(texts()).toEqual([
    "Reading from erp (items, orders) has failed since 2026-01-05 08:00. The log of the adapter says why.",
  ]);
  failures.note("erp", "orders", "worked");
  const [found] = failures.conditions({ timeZone, minutes: 15 });
  expect(found).toMatchObject({
    kind: "source",
    subject: "erp",
    raiseAfterMs: 900_000,
    text: { values: { parts: "items" } },
  });
  expect(failures.conditions({ timeZone, minutes: 0 })).toEqual([]);
});

test("after a restart a source that still fails is named with the time since which it failed before", () => {
  const clock = manualClock(Date.parse("2026-01-05T08:00+01:00"));
  const since = clock.now();
  clock.advance({ minutes: 120 });
  const failures = sourceFailures({ clock, before: new Map([["erp", since]]) });
  const texts = () => failures.conditions({ timeZone, minutes: 15 }).map(({ text }) => localise(text, "en"));
  expect(texts()).toEqual([]);
  failures.note("erp", "orders", "begun");
  failures.note("erp", "orders", "failed");
  expect(texts()).toEqual([expect.stringContaining("has failed since 2026-01-05 08:00")]);
  failures.note("erp", "orders", "worked");
  failures.note("erp", "orders", "failed");
  expect(texts()).toEqual([expect.stringContaining("has failed since 2026-01-05 10:00")]);
});

test("a read that runs for long after a short failure raises no alarm while it runs, and one after a long failure does", () => {
  const clock = manualClock();
  const failures = sourceFailures({ clock });
  const startedAt = clock.now();
  const isRaised = () => {
    const [found] = failures.conditions({ timeZone, minutes: 15 });
    return found !== undefined && clock.now() - startedAt >= (found.raiseAfterMs ?? 0);
  };
  failures.note("erp", "orders", "failed");
  clock.advance({ minutes: 10 });
  failures.note("erp", "orders", "failed");
  failures.note("erp", "orders", "begun");
  clock.advance({ minutes: 60 });
  expect(isRaised()).toBe(false);
  // Another folder of the connector fails meanwhile.
  failures.note("erp", "items", "failed");
  expect(isRaised()).toBe(true);
  failures.note("erp", "items", "worked");
  expect(isRaised()).toBe(false);
  failures.note("erp", "orders", "failed");
  failures.note("erp", "orders", "begun");
  clock.advance({ minutes: 60 });
  expect(isRaised()).toBe(true);
  failures.note("erp", "orders", "worked");
  expect(isRaised()).toBe(false);
});

const target = (members: Partial<TargetOverview>): TargetOverview => ({
  ...{ target: "erp", isPaused: false, isRemoved: false, breaker: "closed" },
  ...{ waiting: 2, inFlight: 1, concurrency: 8, oldestAt: null },
  ...members,
});
const limits = { timeZone, stuckMinutes: 15, circuitOpenMinutes: 5 };

test("a target that gets nothing although entries wait is stuck, unless something was sent meanwhile", () => {
  const { clock, marks } = flows("2026-01-05T08:00+01:00");
  const targets = [target({ oldestAt: clock.now() })];
  const found = () => targetConditions({ ...limits, targets, flows: marks, now: clock.now(), startedAt: 0 });
  clock.advance({ minutes: 14 });
  expect(found()).toEqual([]);
  clock.advance({ minutes: 1 });
  expect(found()).toMatchObject([{ kind: "stuck", subject: "erp", text: { values: { count: 3, paused: "no" } } }]);
  marks.note("deliveries", "erp");
  expect(found()).toEqual([]);
});

test("the alarm about a target says whether somebody has paused it or the configuration no longer has it", () => {
  const { clock, marks } = flows("2026-01-05T08:00+01:00");
  const textOf = (members: Partial<TargetOverview>) => {
    const targets = [target({ oldestAt: 0, ...members })];
    const [found] = targetConditions({ ...limits, targets, flows: marks, now: clock.now(), startedAt: 0 });
    return found === undefined ? "" : localise(found.text, "en");
  };
  expect(textOf({ isPaused: true })).toContain("resume them");
  expect(textOf({ isPaused: true, isRemoved: true })).toContain("connect it again, or skip the events");
});

test("a failing target raises one alarm, not two", () => {
  const { clock, marks } = flows("2026-01-05T08:00+01:00");
  const needs = { ...limits, flows: marks, now: clock.now(), startedAt: 0 };
  const targets = [target({ breaker: "half-open", oldestAt: 0 })];
  expect(targetConditions({ ...needs, targets })).toMatchObject([{ kind: "circuit", raiseAfterMs: 300_000 }]);
  expect(targetConditions({ ...needs, targets, circuitOpenMinutes: 0 })).toEqual([]);
});

test("after a start nothing counts as stuck before the time limit: the state of the target is not known yet", () => {
  const { clock, marks } = flows("2026-01-05T08:00+01:00");
  const startedAt = clock.now();
  const targets = [target({ oldestAt: startedAt - 3_600_000 })];
  const found = () => targetConditions({ ...limits, targets, flows: marks, now: clock.now(), startedAt });
  expect(found()).toEqual([]);
  clock.advance({ minutes: 15 });
  expect(found()).toMatchObject([{ kind: "stuck" }]);
});

test("dead entries are reported with order, event and last answer, refusals apart from the rest", async () => {
  const { journal, event, attempt } = await adminSetup();
  const put = (workOrderNumber: string) =>
    event("confirmPutWallPlacement", { workOrderNumber, itemNumber: "A-1", completedAmount: 3 });
  expect(entryConditions(journal.read, entryTexts(journal.read))).toEqual([]);
  const refused = await put("4711");
  await attempt(
    refused,
    { state: "dead", reason: "refused" },
    { status: 422, error: "refused", response: "order is closed" },
  );
  await attempt(await put("4712"), { state: "dead", reason: "exhausted" }, { error: "no answer" });
  const found = entryConditions(journal.read, entryTexts(journal.read));
  expect(found.map(({ kind, subject }) => [kind, subject]).sort()).toEqual([
    ["gaveUp", setupTarget],
    ["refused", setupTarget],
  ]);
  expect(found.find(({ kind }) => kind === "refused")?.entries).toMatchObject([
    {
      seq: refused,
      orders: ["4711"],
      topic: "confirmPutWallPlacement",
      event: "3 × A-1 put on the wall",
      target: setupTarget,
      lastAnswer: "422: refused: order is closed",
    },
  ]);
});

test("a long entry is described by a check that was prepared, and is not read again by the next ones", async () => {
  const { journal, event, attempt } = await adminSetup();
  const step = { workOrderNumber: "4711", requestId: 1, amountToConfirmPlacingInBaseUnitOfMeasure: 3 };
  const long = { ...step, userEmail: "x".repeat(70_000) };
  await attempt(await event("confirmStep", long), { state: "dead", reason: "refused" }, { error: "no" });
  const readSeqs: (number | string)[] = [];
  const read = {
    ...journal.read,
    entry: (seq: number | string) => {
      readSeqs.push(seq);
      return journal.read.entry(seq);
    },
  };
  const texts = entryTexts(read);
  const listed = () => entryConditions(read, texts)[0]?.entries?.map((one) => one.event);
  expect(listed()).toEqual(["confirmStep"]);
  await texts.prepare();
  readSeqs.length = 0;
  expect(listed()).toEqual(["line 1: 3 placed"]);
  await texts.prepare();
  expect(listed()).toEqual(["line 1: 3 placed"]);
  expect(readSeqs).toEqual([]);
});

test("of many entries a few are listed, and all are counted", async () => {
  const { journal, event, attempt } = await adminSetup();
  for (let number = 0; number < 130; number++) {
    const placement = { workOrderNumber: `W-${number}`, itemNumber: "A-1", completedAmount: 1 };
    const seq = await event("confirmPutWallPlacement", placement);
    await attempt(seq, { state: "dead", reason: "refused" });
  }
  expect(entryConditions(journal.read, entryTexts(journal.read))).toMatchObject([
    { text: { values: { count: 130 } }, entries: { length: 5 } },
  ]);
});

test("a full disk, a failed writer, quarantined records and upcoming expiries are reported", () => {
  const now = Date.parse("2026-01-05T08:00Z");
  const inDays = (days: number) => now + days * 86_400_000;
  const well = {
    ...{
      quarantine: { count: () => 0 },
      doubtful: { count: 0, orders: [] as string[] },
      diskState: "enough" as const,
      freeBytes: 2 ** 40,
      journalFailure: null,
    },
    journalTrouble: { refused: null, damage: null },
    ...{ expiries: [{ name: "far", at: inDays(15) }], expiryDays: 14, now, timeZone: "UTC" },
  };
  expect(adapterConditions(well)).toEqual([]);
  const expiries = [
    { name: "connectors.erp.tls.cert", at: inDays(3) },
    { name: "licence", at: inDays(-1) },
  ];
  const wrong = { ...well, diskState: "low" as const, freeBytes: 2 ** 28, journalFailure: "gone", expiries };
  const doubtful = { count: 1, orders: ["4711"] };
  const texts = adapterConditions({ ...wrong, doubtful, quarantine: { count: () => 2 } }).map(({ text }) =>
    localise(text, "en"),
  );
  expect(texts).toEqual([
    "2 records are kept back because of mistakes. Mend them in the external system; the quarantine says what is wrong.",
    "1 order is being picked with a changed line whose unit cannot be converted with certainty: 4711. The change is not passed on. Check these orders with the shift lead.",
    "The disk of the data folder is nearly full: 256 MiB are free. Free space soon.",
    "Nothing can be written down any more (gone). Restart the adapter and look at its log.",
    "connectors.erp.tls.cert ends at 2026-01-08 08:00, in 3 days. Renew it before.",
    "licence has ended at 2026-01-04 08:00. Renew it now.",
  ]);
  expect(adapterConditions({ ...well, expiries, expiryDays: 0 })).toEqual([]);
});
