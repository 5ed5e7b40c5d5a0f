import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { openFloor } from "../../../test/support/floor/floor.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";

const line = (nth: number, requestedAmount: number) => ({
  ...{ itemNumber: `I-${nth}`, requestedAmount, requestExternalIdentifier: `L-${nth}` },
  ...{ requestType: 1 as const, unitOfMeasure: 0 as const, order: nth },
});

/** Processor time of this thread for pushing a waiting order again, placing the first piece of it, and pushing it again. */
function wallMs(lines: number): number {
  const floor = openFloor();
  const order = (requestedAmount: number) =>
    workOrder({
      number: "N",
      requests: Array.from({ length: lines }, (_, nth) => line(nth, requestedAmount)),
    });
  floor.push(order(5));
  const before = process.threadCpuUsage();
  floor.push(order(6));
  const placed = { workOrderNumber: "N", itemNumber: "I-0", completedAmount: 1, confirmedLocationName: "W-1" };
  const outcome = floor.event("confirmPutWallPlacement", placed);
  floor.push(order(4));
  const { user, system } = process.threadCpuUsage(before);
  expect(outcome.ok).toBe(true);
  return (user + system) / 1000;
}

test("a piece on the wall and a push of a changed order cost by its lines, not by their square", () => {
  wallMs(400);
  const few = Math.min(wallMs(400), wallMs(400), wallMs(400));
  const many = Math.min(wallMs(4000), wallMs(4000));
  expect(many / few).toBeLessThan(25);
});

/** Processor time of this thread for pieces at the wall of an order whose lines are all of one item, each of its own lot. */
function lotsMs(lines: number): number {
  const floor = openFloor();
  const order = (requestedAmount: number) =>
    workOrder({
      number: "N",
      requests: Array.from({ length: lines }, (_, nth) => ({
        itemNumber: "A",
        lotNumber: `LOT-${nth}`,
        requestedAmount,
      })),
    });
  const place = () =>
    floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "A", completedAmount: lines });
  floor.push(order(5));
  place();
  floor.push(order(6));
  const before = process.threadCpuUsage();
  expect(place().ok).toBe(true);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test("a piece on the wall for one of many lots of an item costs by their number, not by its square", () => {
  lotsMs(400);
  const few = Math.min(lotsMs(400), lotsMs(400), lotsMs(400));
  const many = Math.min(lotsMs(4000), lotsMs(4000));
  expect(many / few).toBeLessThan(25);
});

/** Processor time of this thread for the first step on an order with that many lines, one of them cancelled. */
function firstStepMs(lines: number): number {
  const floor = openFloor();
  const all = Array.from({ length: lines }, (_, nth) => nth);
  floor.push(workOrder({ number: "N", requests: all.map((nth) => line(nth, 5)) }));
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "L-7" });
  const itemRequests = all.map((nth) => ({
    ...{ requestId: 1000 + nth, itemNumber: `I-${nth}`, requestedAmount: 5, isCancelled: false, type: 1 as const },
    externalIdentifier: `L-${nth}`,
  }));
  const before = process.threadCpuUsage();
  const outcome = floor.event("confirmStep", {
    ...{ workOrderNumber: "N", requestId: 1000, requestType: 1, requestExternalIdentifier: "L-0", itemNumber: "I-0" },
    ...{ requestRemainingAmountInBaseUnitOfMeasure: 5, requestAmountInBaseUnitOfMeasure: 5, itemUnitOfMeasure: 0 },
    updateWorkOrderRequest: { id: 1, itemRequests },
    amountToConfirmPickingSummary: {
      locationName: "A",
      containersBreakdown: [{ containerCode: "C", amountToConfirmInBaseUnitOfMeasure: 5 }],
    },
  });
  const { user, system } = process.threadCpuUsage(before);
  expect(outcome.ok && JSON.stringify(outcome.data)).toContain('"isCancelled":true');
  return (user + system) / 1000;
}

test("a step on a changed order costs by its lines, not by their square", () => {
  // Four times the lines: about four times the work; it was sixteen times and more.
  firstStepMs(400);
  const few = Math.min(firstStepMs(400), firstStepMs(400), firstStepMs(400));
  const many = Math.min(firstStepMs(1600), firstStepMs(1600));
  expect(many / few).toBeLessThan(10);
});

/** Processor time of this thread for the first step on an order of lines that cannot be told apart, one of them left out. */
function equalLinesMs(lines: number): number {
  const floor = openFloor();
  const requests = Array.from({ length: lines }, () => ({ itemNumber: "A", requestedAmount: 5 }));
  floor.push(workOrder({ number: "N", requests }));
  floor.push(workOrder({ number: "N", requests: requests.slice(1) }));
  const itemRequests = requests.map((request, nth) => ({ ...request, requestId: nth + 1, isCancelled: false }));
  const before = process.threadCpuUsage();
  const outcome = floor.event("confirmStep", {
    ...{ workOrderNumber: "N", requestId: 1, itemNumber: "A", updateWorkOrderRequest: { id: 1, itemRequests } },
    ...{ requestRemainingAmountInBaseUnitOfMeasure: 5, requestAmountInBaseUnitOfMeasure: 5 },
    amountToConfirmPickingSummary: { containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: 5 }] },
  });
  const { user, system } = process.threadCpuUsage(before);
  expect(outcome.ok && JSON.stringify(outcome.data).match(/"isCancelled":true/g)).toHaveLength(1);
  return (user + system) / 1000;
}

test("a step on an order of lines that cannot be told apart costs by their number, not by its square or cube", () => {
  equalLinesMs(200);
  const few = Math.min(equalLinesMs(200), equalLinesMs(200), equalLinesMs(200));
  const many = Math.min(equalLinesMs(800), equalLinesMs(800));
  // It was sixty times.
  expect(many / few).toBeLessThan(12);
});

/**
 * Processor time of this thread for two steps on an order whose lines of one item differ only by their amounts: with a
 * model that leaves one of them out, and after the order was fetched again.
 */
function amountsMs(lines: number, hasIds: boolean): number {
  const floor = openFloor();
  const all = Array.from({ length: lines }, (_, nth) => nth + 5);
  const push = (less: number) =>
    floor.push(
      workOrder({
        number: "N",
        requests: all.map((amount) => ({ itemNumber: "A", requestedAmount: amount - less })),
      }),
    );
  const step = (firstId: number) =>
    floor.event("confirmStep", {
      ...{ workOrderNumber: "N", requestId: firstId + 1, itemNumber: "A" },
      ...{ requestRemainingAmountInBaseUnitOfMeasure: 6, requestAmountInBaseUnitOfMeasure: 6 },
      updateWorkOrderRequest: {
        id: 1,
        itemRequests: all.slice(1).map((requestedAmount, nth) => ({
          ...{ requestId: hasIds ? firstId + 1 + nth : null, itemNumber: "A", requestedAmount, isCancelled: false },
        })),
      },
      amountToConfirmPickingSummary: { containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: 1 }] },
    });
  push(0);
  push(1);
  const before = process.threadCpuUsage();
  expect(step(0).ok && step(100_000).ok).toBe(true);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test.each([
  ["with", true],
  ["without", false],
])("lines of one item with different amounts, %s ids of the platform, cost by their number", (_, hasIds) => {
  amountsMs(100, hasIds);
  const few = Math.min(amountsMs(100, hasIds), amountsMs(100, hasIds), amountsMs(100, hasIds));
  const many = Math.min(amountsMs(400, hasIds), amountsMs(400, hasIds));
  // It was thirteen and twenty times.
  expect(many / few).toBeLessThan(10);
});

/**
 * Processor time of this thread for a step on an order of many lines of one item, with a model that leaves out one of
 * the lines and what tells the others apart.
 */
function unnamedMs(lines: number, own: (nth: number) => object): number {
  const floor = openFloor();
  const all = Array.from({ length: lines }, (_, nth) => nth);
  for (const base of [20_000, 40_000])
    floor.push(
      workOrder({
        number: "N",
        requests: all.map((nth) => ({ itemNumber: "A", requestedAmount: base + nth, ...own(nth) })),
      }),
    );
  const before = process.threadCpuUsage();
  const outcome = floor.event("confirmStep", {
    ...{ workOrderNumber: "N", requestId: 1, itemNumber: "A", amountToConfirmPlacingInBaseUnitOfMeasure: 1 },
    updateWorkOrderRequest: {
      id: 1,
      itemRequests: all.slice(1).map((nth) => ({
        ...{ requestId: nth, itemNumber: "A", requestedAmount: 5_000 + nth, isCancelled: false },
      })),
    },
  });
  const { user, system } = process.threadCpuUsage(before);
  expect(outcome.ok).toBe(true);
  return (user + system) / 1000;
}

test.each<[string, (nth: number) => object]>([
  ["in metres", () => ({ unitOfMeasure: 1 })],
  ["with external ids", (nth) => ({ requestExternalIdentifier: `L-${nth}` })],
  ["with lots", (nth) => ({ lotNumber: `LOT-${nth}` })],
])("lines of one item %s, of which a model shows only amounts, cost by their number", (_, own) => {
  unnamedMs(400, own);
  const few = Math.min(unnamedMs(400, own), unnamedMs(400, own));
  const many = Math.min(unnamedMs(1_600, own), unnamedMs(1_600, own));
  // It was fifteen times with ids and lots, and more than sixty in metres.
  expect(many / few).toBeLessThan(10);
});

/** Processor time of this thread for what only the changed parts of an order should cost. */
function changeMs(lines: number): number {
  const floor = openFloor();
  const all = Array.from({ length: lines }, (_, nth) => nth);
  const order = (amountOf: (nth: number) => number) =>
    workOrder({ number: "N", requests: all.map((nth) => line(nth, amountOf(nth))) });
  const model = all.slice(0, lines / 2).map((nth) => ({
    ...{ requestId: 1000 + nth, itemNumber: `I-${nth}`, requestedAmount: 5, isCancelled: false, type: 1 as const },
    externalIdentifier: `L-${nth}`,
  }));
  const step = (nth: number) =>
    floor.event("confirmStep", {
      ...{ workOrderNumber: "N", requestId: 1000 + nth, requestType: 1, itemNumber: `I-${nth}` },
      ...{ requestExternalIdentifier: `L-${nth}`, itemUnitOfMeasure: 0, requestAmountInBaseUnitOfMeasure: 5 },
      ...{ requestRemainingAmountInBaseUnitOfMeasure: 5, updateWorkOrderRequest: { id: 1, itemRequests: model } },
      amountToConfirmPickingSummary: {
        locationName: "A",
        containersBreakdown: [{ containerCode: "C", amountToConfirmInBaseUnitOfMeasure: 1 }],
      },
    });
  floor.push(order(() => 5));
  const before = process.threadCpuUsage();
  // The last line: whatever compares each line with all before it would now do so for all of them.
  floor.push(order((nth) => (nth === lines - 1 ? 4 : 5)));
  step(0);
  floor.push(order(() => 6));
  step(1);
  floor.cancel({ workOrderNumber: "N-F1" });
  const { user, system } = process.threadCpuUsage(before);
  expect(floor.receipts("N").length).toBeGreaterThan(lines / 2);
  return (user + system) / 1000;
}

test("a push that changes the last line, a model of half the lines and a cancelled follow-up order cost by the lines", () => {
  changeMs(200);
  const few = Math.min(changeMs(200), changeMs(200), changeMs(200));
  const many = Math.min(changeMs(2000), changeMs(2000));
  expect(many / few).toBeLessThan(25);
});

/** What a few steps, a push and a cancellation cost after so many changes. */
interface Cost {
  /** Bytes that the steps have written. */
  readonly stepBytes: number;
  /** Processor time of this thread for the push and the cancellation. */
  readonly changeMs: number;
}

function changedOften(changes: number): Cost {
  const floor = openFloor();
  const all = Array.from({ length: 2000 }, (_, nth) => nth);
  const push = (changed: number) =>
    floor.push(workOrder({ number: "N", requests: all.map((nth) => line(nth, nth < changed ? 4 : 5)) }));
  const shown = (nth: number, requestedAmount: number) => ({
    ...{ requestId: 1000 + nth, itemNumber: `I-${nth}`, requestedAmount, isCancelled: false, type: 1 as const },
    externalIdentifier: `L-${nth}`,
  });
  const step = (nth: number) =>
    floor.event("confirmStep", {
      ...{ workOrderNumber: "N", requestId: 1000 + nth, requestType: 1, itemNumber: `I-${nth}` },
      ...{ requestExternalIdentifier: `L-${nth}`, itemUnitOfMeasure: 0, requestAmountInBaseUnitOfMeasure: 5 },
      requestRemainingAmountInBaseUnitOfMeasure: 5,
      // It shows old amounts, of one line or of two, so each step answers with an offer and stores it. SQLite writes
      // only the changed pages of a row that keeps its length; a longer or shorter offer has it write the whole row.
      updateWorkOrderRequest: { id: 1, itemRequests: [shown(0, 5), shown(1, nth % 2 === 0 ? 5 : 4)] },
      amountToConfirmPickingSummary: {
        locationName: "A",
        containersBreakdown: [{ containerCode: "C", amountToConfirmInBaseUnitOfMeasure: 1 }],
      },
    });
  push(0);
  step(1000);
  for (let nth = 1; nth <= changes; nth++) push(nth);
  expect(step(1001)).toMatchObject({
    data: { updateWorkOrderRequest: { itemRequests: [{ requestedAmount: 4 }, {}] } },
  });

  const stepBytes = writtenBy(floor.database, () => {
    for (let nth = 0; nth < 10; nth++) step(1002 + nth);
  });
  const before = process.threadCpuUsage();
  push(changes + 1);
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "L-1999" });
  const { user, system } = process.threadCpuUsage(before);
  expect(floor.receipts("N").length).toBe(changes + 2);
  return { stepBytes, changeMs: (user + system) / 1000 };
}

/** The bytes by which the write-ahead log grows. */
function writtenBy(database: Database, work: () => void): number {
  const { file } = database.statement("SELECT file FROM pragma_database_list WHERE name = 'main'").get() ?? {};
  const log = () => statSync(`${file}-wal`).size;
  database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  const before = log();
  work();
  return log() - before;
}

test("steps and changes of a long order cost the same after two changes as after forty", () => {
  changedOften(2);
  const [twice, often] = [[], []] as [Cost[], Cost[]];
  for (let round = 0; round < 3; round++) {
    twice.push(changedOften(2));
    often.push(changedOften(40));
  }
  const least = (of: readonly Cost[], what: keyof Cost) => Math.min(...of.map((one) => one[what]));
  // With all contents in one row, every step wrote all of them again, and a push and a cancellation took six times as
  // long.
  expect(least(often, "stepBytes") / least(twice, "stepBytes")).toBeLessThan(1.5);
  expect(least(often, "changeMs") / least(twice, "changeMs")).toBeLessThan(3);
});
