import fc from "fast-check";
import { expect, test } from "vitest";
import type { PushTopic } from "../../contract/pushes.ts";
import { pushRow } from "../../contract/pushes.ts";
import { unpackEntries } from "../../journal/packed-entry.ts";
import { summaryOf } from "../../server/inbound/inbound-reading.ts";
import type { InboundRoute } from "../../server/inbound/inbound-route.ts";
import { defaultTable, routeName } from "../../server/inbound/inbound-route.ts";
import { type PushStep, readInParts } from "./read-in-parts.ts";

const table = defaultTable({ dates: { timeZone: "UTC", timeOfDay: "00:00" }, profiles: [] });
function routeOf(topic: PushTopic): InboundRoute {
  const route = table.get(routeName("POST", pushRow(topic).path));
  if (route === undefined) throw new Error("there is no such route");
  return route;
}

async function steps(topic: PushTopic, body: Uint8Array, isPartial = false): Promise<PushStep[]> {
  let ids = 0;
  const stamp = { sender: "erp", receivedAt: 1000, newEntryId: () => `evt_${++ids}`, modes: {} };
  const found: PushStep[] = [];
  for await (const step of readInParts({ ...routeOf(topic), isPartial }, body, stamp)) found.push(step);
  return found;
}
const entriesIn = (found: readonly PushStep[]) =>
  found.flatMap((step) => ("part" in step ? step.part.chunks.flatMap(unpackEntries) : []));
const bytesOf = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const levels = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ itemNumber: `A-${index}`, amount: 1 }));
const order = (number: string, amount = 1) => ({
  ...{ number, dueDate: "2030-01-01" },
  requests: [{ itemNumber: "A", requestedAmount: amount }],
});

test("a long push is split into parts with the same content in the same order", async () => {
  const body = bytesOf(levels(9_000));
  const found = await steps("stock", body);
  const whole = await routeOf("stock").read(body);
  const entries = entriesIn(found);
  expect(found.length).toBeGreaterThan(3);
  expect(entries.map(({ id, receivedAt, sender, ...entry }) => entry)).toEqual(
    "entries" in whole ? whole.entries : null,
  );
  expect(new Set(entries.map(({ id }) => id)).size).toBe(9_000);
  expect(found.at(-1)).toEqual({ end: { refused: [], problemCount: 0, count: 9_000, isList: true, good: 9_000 } });
});

test("the entries of a long push keep its trace", async () => {
  const trace = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const stamp = { sender: "erp", trace, receivedAt: 1000, newEntryId: () => "evt_1", modes: {} };
  const found: PushStep[] = [];
  for await (const step of readInParts(routeOf("stock"), bytesOf(levels(9_000)), stamp)) found.push(step);
  expect(new Set(entriesIn(found).map((entry) => entry.trace))).toEqual(new Set([trace]));
});

test("a few cancellations are too many for one commit: each may change a long order", async () => {
  const lines = (count: number) =>
    bytesOf(Array.from({ length: count }, (_, index) => ({ workOrderNumber: "N", itemNumber: `A-${index}` })));
  expect(await steps("cancellations", lines(4))).toMatchObject([{ whole: { count: 4 } }]);
  const found = await steps("cancellations", lines(5));
  expect(entriesIn(found)).toHaveLength(5);
  expect(found.at(-1)).toMatchObject({ end: { count: 5, good: 5 } });
});

test("a short push is read as a whole", async () => {
  const body = bytesOf(levels(200));
  expect(await steps("stock", body)).toEqual([{ whole: await routeOf("stock").read(body) }]);
});

test("errors are reported with their position in the whole body, as if it had been read at once", async () => {
  const bad = fc.constantFrom<unknown>({ itemNumber: "B" }, 7, null, { amount: 1 }, { itemNumber: "A", amount: "x" });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(5_999), bad), { minLength: 1, maxLength: 5 }), async (wrong) => {
      const list: unknown[] = levels(6_000);
      for (const [at, element] of wrong) list[at] = element;
      const body = bytesOf(list);
      const last = (await steps("stock", body)).at(-1);
      const whole = await routeOf("stock").read(body);
      const told = last === undefined || "part" in last ? null : "end" in last ? last.end : last.whole;
      expect(told).toMatchObject({ refused: "refused" in whole ? whole.refused : null, count: 6_000 });
    }),
    { numRuns: 20 },
  );
});

test("the second of two orders with the same number is refused, however far apart they are", async () => {
  const list = Array.from({ length: 2_000 }, (_, index) => order(`W-${index}`));
  const last = (await steps("workOrders", bytesOf([...list, order("W-0", 2), order("W-1")]))).at(-1);
  expect(last).toMatchObject({ end: { refused: [{ index: 2_000, problems: [{ field: "number" }] }] } });
});

test("unreadable input is reported with its position in the whole body", async () => {
  const text = JSON.stringify(levels(6_000));
  const broken = `${text.slice(0, -1)},{"itemNumber":"ä",}]`;
  const whole = await routeOf("stock").read(bytesOf(broken));
  expect((await steps("stock", bytesOf(broken))).at(-1)).toEqual({ end: whole });
  const cut = bytesOf(text.slice(0, -1));
  expect(await steps("stock", cut)).toEqual([{ whole: await routeOf("stock").read(cut) }]);
});

test("a route that accepts valid elements gets them in parts, and every invalid element is reported", async () => {
  const list: unknown[] = levels(3_000);
  for (let at = 0; at < list.length; at += 2) list[at] = {};
  const found = await steps("stock", bytesOf(list), true);
  expect(entriesIn(found)).toHaveLength(1_500);
  const last = found.at(-1);
  expect(last !== undefined && "end" in last && "refused" in last.end ? last.end.refused.length : 0).toBe(1_500);
});

test("a list with more elements than a push may have is refused before any of them is read", async () => {
  const body = bytesOf(`[${"{},".repeat(1_000_000)}{}]`);
  const text = { key: "input.elements", values: { detail: "1000000" } };
  expect(await steps("stock", body)).toMatchObject([{ whole: { unreadable: [{ field: "", text }], problemCount: 1 } }]);
});

test("of a route that accepts valid elements, a push with too many invalid ones is refused as a whole", async () => {
  const list = [...levels(4_000), ...Array(25_000).fill({}), ...levels(1_000)];
  const found = await steps("stock", bytesOf(list), true);
  const text = { key: "input.bad-elements", values: { detail: "10000" } };
  expect(found.at(-1)).toMatchObject({ end: { unreadable: [{ field: "", text }] } });
});

test("beyond ten thousand invalid elements each counts as one error, because nobody reads more", async () => {
  const found = await steps("stock", bytesOf(Array(60_000).fill({})));
  const one = await routeOf("stock").read(bytesOf([{}]));
  const problems = "refused" in one ? (one.refused[0]?.problems.length ?? 0) : 0;
  const last = found.at(-1);
  const count = last !== undefined && "end" in last ? last.end.problemCount : 0;
  expect(problems).toBeGreaterThan(1);
  // All problems are listed for the pieces that contain some of the first ten thousand bad elements.
  expect(count).toBeGreaterThanOrEqual(60_000 + 10_000 * (problems - 1));
  expect(count).toBeLessThan(60_000 * problems);
});

test("of thousands of errors only the first thousand are handed over, with the count of all", async () => {
  const lines = (count: number) => ({ ...order("1"), requests: Array(count).fill({ a: 1 }) });
  for (const list of [Array(4_000).fill({}), [lines(4_000)], [lines(600), lines(600), {}]]) {
    const body = bytesOf(list);
    const [step, ...more] = await steps("workOrders", body);
    const whole = await routeOf("workOrders").read(body);
    if ("unreadable" in whole) throw new Error("it can be read");
    const reading = step !== undefined && "whole" in step && "refused" in step.whole ? step.whole : null;
    if (reading === null) throw new Error("it was read in parts");
    expect(more).toEqual([]);
    expect(summaryOf(reading).problemCount).toBe(summaryOf(whole).problemCount);
    const all = whole.refused.flatMap(({ problems }) => problems);
    expect(reading.refused.flatMap(({ problems }) => problems)).toEqual(all.slice(0, 1_000));
  }
});

test("a push is read quickly with the same result, or not at all if something is wrong with it", async () => {
  const element = fc.constantFrom<unknown>(
    order("1"),
    order("1", 2),
    order("2"),
    {},
    { ...order("3"), dueDate: "never" },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 4 }), async (list) => {
      const body = bytesOf(list);
      const whole = await routeOf("workOrders").read(body);
      const isGood = "refused" in whole && whole.refused.length === 0;
      expect(await routeOf("workOrders").readIfGood(body)).toEqual(isGood ? whole : null);
    }),
  );
});

test("a long push full of errors is looked through in steps, so that none takes too long, and nothing is stored", async () => {
  const body = bytesOf(Array(60_000).fill({}));
  const found = await steps("stock", body);
  const { problemCount } = summaryOf(await wholeOf(body));
  expect(found.length).toBeGreaterThan(2);
  expect(entriesIn(found)).toEqual([]);
  expect(found.at(-1)).toMatchObject({ end: { problemCount, count: 60_000, good: 0 } });
});

async function wholeOf(body: Uint8Array) {
  const whole = await routeOf("stock").read(body);
  if ("unreadable" in whole) throw new Error("it can be read");
  return whole;
}
