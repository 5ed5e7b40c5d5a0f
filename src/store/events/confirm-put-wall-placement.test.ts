import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { UnitOfMeasure, WorkOrderStatus } from "../../contract/enums.ts";
import { say } from "../../messages/message.ts";
import { ok } from "../../operation/outcome.ts";
import { reconcile } from "../changes/reconcile.ts";

const place = (completedAmount: number, itemNumber = "A") => ({
  workOrderNumber: "N",
  itemNumber,
  completedAmount,
  confirmedLocationName: "W1",
});

test("equal amounts are booked each time: real repeats look the same", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  expect(floor.event("confirmPutWallPlacement", place(1))).toEqual(ok(null));
  expect(floor.event("confirmPutWallPlacement", place(1))).toEqual(ok(null));
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 5, picked: 2 }]);
  expect(floor.placements("N")).toEqual([{ item: "A", location: "W1", amount: 2 }]);
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("several lines of one item are filled in their order; the last one takes the remainder", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2), line("B", 9), line("A", 3)] }));
  floor.event("confirmPutWallPlacement", place(4));
  expect(floor.ledgerLines("N").map(({ picked }) => picked)).toEqual([2, 0, 2]);
  expect(floor.event("confirmPutWallPlacement", place(3))).toEqual(
    ok(null, { message: say("events.over-picked", { item: "A", over: 2 }) }),
  );
  expect(floor.ledgerLines("N").map(({ picked, over }) => [picked, over])).toEqual([
    [2, 0],
    [0, 0],
    [3, 2],
  ]);
});

test("an order is finished by its last put-wall amount", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2), line("B", 1)] }));
  floor.event("confirmPutWallPlacement", place(2));
});

test("what is picked of a line at the wall is not rounded to a whole kilogram that nobody asked for", () => {
  const row = { picked: 1.4, shown: 3 };
  const facts = { wanted: 1, shortPicked: 0, factor: 1, isChanged: true };
  const targets = (isWhole: boolean) =>
    reconcile({ ...facts, members: [{ isWaiting: false, mayHold: false, rows: [{ ...row, isWhole }] }] }).targets;
  expect([targets(false), targets(true)]).toEqual([[[1.4]], [[2]]]);
});

test("fractions that add up leave nothing open", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 1, { unitOfMeasure: UnitOfMeasure.Meter })] }));
  for (let tenth = 0; tenth < 10; tenth++) floor.event("confirmPutWallPlacement", place(0.1));
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 1, picked: 1, over: 0 }]);
  expect(floor.orders.find("N")?.state).toBe("finished");
});

test("orders that are not known are accepted, and nothing is too much for them", () => {
  const floor = openFloor();
  expect(floor.event("confirmPutWallPlacement", place(2))).toEqual(ok(null));
  expect(floor.event("confirmPutWallPlacement", place(3))).toEqual(ok(null));
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 5, picked: 5, over: 0 }]);
});

test("amounts are in the item's unit, and turned into base units once a step shows them; what steps picked is sorted then", () => {
  const floor = openFloor();
  const metres = { unitOfMeasure: UnitOfMeasure.Meter };
  floor.push(workOrder({ number: "N", requests: [line("A", 2, metres)] }));
  floor.event("confirmPutWallPlacement", place(1));
  floor.event("confirmStep", pick("N", 7, { requested: 200, remaining: 100, picked: 20 }));
  expect(floor.ledgerLines("N")).toMatchObject([{ factor: 100, requested: 200, picked: 120 }]);
  floor.event("confirmPutWallPlacement", place(0.5));
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 120 }]);
});

test("sorting what was picked by steps is not called too much", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 2, remaining: 2, picked: 2 }));
  expect(floor.event("confirmPutWallPlacement", place(2))).toEqual(ok(null));
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 2, picked: 2 }]);
});

test("a placement for an order the ERP has cancelled is booked, the operator warned and the difference reported", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2)] }));
  floor.cancel({ workOrderNumber: "N" });
  // The text for the second piece names one piece only: the first was already told and lies aside.
  const warned = ok(null, { message: say("events.order-cancelled", { order: "N", goods: "A × 1" }) });
  expect(floor.event("confirmPutWallPlacement", place(1))).toEqual(warned);
  expect(floor.receipts("N")).toMatchObject([{ state: "pending" }]);
  expect(floor.event("confirmPutWallPlacement", place(1))).toEqual(warned);
  expect(floor.receipts("N")).toMatchObject([{ state: "too-late", picked: 2 }]);
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 2 }]);
});

test("only pieces beyond what the ERP wants of an item are warned of, counting what is placed", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 4), line("B", 4), line("C", 4)] }));
  floor.event("confirmPutWallPlacement", place(1));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  floor.cancel({ workOrderNumber: "N", itemNumber: "B", requestedAmount: 3 });
  expect(floor.event("confirmPutWallPlacement", place(1))).toMatchObject({
    message: say("events.put-aside", { order: "N", item: "A", amount: "2" }),
  });
  expect(floor.event("confirmPutWallPlacement", place(3, "B"))).toEqual(ok(null));
  expect(floor.event("confirmPutWallPlacement", place(1, "B"))).toMatchObject({
    message: say("events.put-aside", { order: "N", item: "B", amount: "1" }),
  });
  expect(floor.event("confirmPutWallPlacement", place(1, "C"))).toEqual(ok(null));
});

test("an increase of an order that is sorted at the put wall comes as a follow-up order", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  floor.event("confirmPutWallPlacement", place(1));
  floor.push(workOrder({ number: "N", requests: [line("A", 8)] }));
  expect(floor.orders.find("N-F1")?.workOrder.requests).toMatchObject([{ requestedAmount: 3 }]);
});

test("nothing is called removed that the wall may still have: the receipt waits for what lies there", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2), line("B", 4)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.event("confirmPutWallPlacement", place(2));
  expect(floor.receipts("N")).toMatchObject([{ state: "pending" }]);
  floor.event("confirmPutWallPlacement", place(1, "B"));
  expect(floor.receipts("N")).toMatchObject([{ state: "pending" }]);
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Completed });
  expect(floor.receipts("N")).toMatchObject([{ state: "partly", picked: 1 }]);
});

test("parts of a kilogram at the wall are counted as they are, and not as whole ones", () => {
  const floor = openFloor();
  const kilograms = (amount: number) => line("A", amount, { unitOfMeasure: UnitOfMeasure.Kilogram });
  floor.push(workOrder({ number: "N", requests: [kilograms(3), line("B", 1)] }));
  floor.event("confirmPutWallPlacement", place(1.4));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 1 });
  expect(floor.event("confirmPutWallPlacement", place(0.3))).toMatchObject({
    message: say("events.put-aside", { order: "N", item: "A", amount: "0.7 kg" }),
  });
});

test("what is picked of a line at the wall is not rounded to a whole kilogram that nobody asked for", () => {
  const row = { picked: 1.4, shown: 3 };
  const facts = { wanted: 1, shortPicked: 0, factor: 1, isChanged: true };
  const targets = (isWhole: boolean) =>
    reconcile({ ...facts, members: [{ isWaiting: false, mayHold: false, rows: [{ ...row, isWhole }] }] }).targets;
  expect([targets(false), targets(true)]).toEqual([[[1.4]], [[2]]]);
});
