import { expect, test } from "vitest";
import { type LastKnownOrder, pageWithLastKnown, withLastKnown } from "./last-known-order.ts";
import type { OrderDetail, OrderLine } from "./search-orders.ts";

const known = (requests: readonly object[]): LastKnownOrder => ({
  ...{ system: "erp", at: Date.UTC(2026, 0, 5, 8) },
  // A checked order has these members.
  order: { number: "4711", dueDate: "2026-01-06T08:00:00Z", externalIdentifier: "SO-1", requests } as never,
});
const line = (itemNumber: string, rest: Partial<OrderLine> = {}): OrderLine => ({
  ...{ line: null, itemNumber, lot: null, unit: "Piece", requested: null, picked: 2, cancelled: 0, overPicked: 0 },
  ...{ location: null, isLastKnown: false, ...rest },
});
const detail = (orderLines: readonly OrderLine[], rest: Partial<OrderDetail> = {}): OrderDetail => ({
  ...{ number: "4711", externalIdentifier: null, state: null, dueAt: null, receivedAt: null, lines: orderLines.length },
  ...{ requested: null, picked: 2, cancelled: 0, undelivered: null, lastKnown: null, containers: [], changes: [] },
  ...{ orderLines, ...rest },
});
const amounts = (of: OrderDetail | null) =>
  of?.orderLines.map(({ itemNumber, requested, isLastKnown }) => [itemNumber, requested, isLastKnown]);

test("an amount that nobody has reported is what the external system said last, and is marked", () => {
  const found = withLastKnown(
    detail([line("A"), line("B", { requested: 3 })]),
    known([
      { itemNumber: "A", requestedAmount: 4 },
      { itemNumber: "A", requestedAmount: 2 },
      { itemNumber: "B", requestedAmount: 9 },
      { itemNumber: "C", requestedAmount: 1, requestExternalIdentifier: "30" },
    ]),
  );
  // A line that the floor has not touched belongs to the order, too; one that it reported counts as reported.
  expect(amounts(found)).toEqual([
    ["A", 6, true],
    ["B", 3, false],
    ["C", 1, true],
  ]);
  expect(found).toMatchObject({
    ...{ requested: 10, lines: 3, externalIdentifier: "SO-1", dueAt: "2026-01-06T08:00:00Z" },
    lastKnown: { system: "erp", at: "2026-01-05T08:00:00.000Z" },
  });
});

test("an amount in another unit is not taken for the amount of a line", () => {
  const found = withLastKnown(detail([line("A")]), known([{ itemNumber: "A", requestedAmount: 4, unitOfMeasure: 7 }]));
  expect(amounts(found)).toEqual([["A", null, false]]);
  expect(found).toMatchObject({ requested: null, lastKnown: null });
});

test("an order that the embedded store holds stays as it is", () => {
  const stored = detail([line("A", { requested: 2 })], { state: "started" });
  expect(withLastKnown(stored, known([{ itemNumber: "B", requestedAmount: 4 }]))).toBe(stored);
  expect(withLastKnown(null, null)).toBeNull();
});

test("an order of which only the external system knows is found by its number, with nothing picked", async () => {
  const answer = known([{ itemNumber: "A", requestedAmount: 4 }]);
  expect(withLastKnown(null, answer)).toMatchObject({ number: "4711", state: null, requested: 4, picked: 0 });
  const find = async (number: string) => (number === "4711" ? answer : null);
  const page = { orders: [], nextBefore: null, isCut: false };
  const search = (text: string) => pageWithLastKnown(page, { text, limit: 10 }, find);
  expect((await search("4711")).orders).toMatchObject([{ number: "4711", requested: 4, lines: 1 }]);
  expect((await search("4712")).orders).toEqual([]);
  expect((await pageWithLastKnown(page, { text: "4711", state: "started", limit: 10 }, find)).orders).toEqual([]);
});

test("lines are the same by their own names or, where one side has none, by item and lot", () => {
  const found = withLastKnown(
    detail([line("A", { line: "1" }), line("A", { lot: "L1" }), line("B", { line: "9", lot: "L1" })]),
    known([
      { itemNumber: "A", requestedAmount: 1, requestExternalIdentifier: "1", lotNumber: "L2" },
      { itemNumber: "A", requestedAmount: 2, requestExternalIdentifier: "2", lotNumber: "L1" },
      { itemNumber: "A", requestedAmount: 4, requestExternalIdentifier: "3", lotNumber: "L2" },
      { itemNumber: "B", requestedAmount: 8 },
      { itemNumber: "B", requestedAmount: 16, lotNumber: "L2" },
    ]),
  );
  expect(amounts(found)).toEqual([
    ["A", 1, true],
    ["A", 2, true],
    ["B", 8, true],
    ["A", 4, true],
    ["B", 16, true],
  ]);
});

/** Processor time of this thread for completing an order with so many lots of one item. */
function completionMs(count: number): number {
  const lots = Array.from({ length: count }, (_, nth) => `${nth}`);
  const order = known(lots.map((lotNumber) => ({ itemNumber: "A", lotNumber, requestedAmount: 1 })));
  const reported = detail(lots.map((lot) => line("A", { lot })));
  const before = process.threadCpuUsage();
  const found = withLastKnown(reported, order);
  const { user, system } = process.threadCpuUsage(before);
  expect([found?.requested, found?.lines]).toEqual([count, count]);
  return (user + system) / 1000;
}

test("a long order costs by its lines, not by their square", () => {
  completionMs(2_000);
  const few = Math.min(completionMs(2_000), completionMs(2_000), completionMs(2_000));
  const many = Math.min(completionMs(20_000), completionMs(20_000));
  // Ten times the lines: by their square it would be a hundred times. A short run counts as a millisecond.
  expect(many / Math.max(1, few)).toBeLessThan(50);
});
