import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick, updateOf } from "../../../test/support/floor/floor.ts";
import { UnitOfMeasure, WorkOrderStatus } from "../../contract/enums.ts";
import { say } from "../../messages/message.ts";
import { ok } from "../../operation/outcome.ts";

const pushOf = (floor: Floor, amount: number, number = "N") =>
  floor.push(workOrder({ number, requests: [line("A", amount)] }));
const lowerTo = (floor: Floor, requestedAmount: number, number = "N") =>
  floor.cancel({ workOrderNumber: number, itemNumber: "A", requestedAmount });

/**
 * A step whose model shows the same amount as the step. Returns what was offered for its line: null nothing, 0
 * cancelled.
 */
function step(
  floor: Floor,
  amounts: { shown: number; remaining?: number; picked: number },
  { id = 7, number = "N" }: { id?: number; number?: string } = {},
): number | null {
  const { shown, picked, remaining = shown } = amounts;
  const model = { id: 1, itemRequests: [{ requestId: id, itemNumber: "A", requestedAmount: shown }] };
  const step = pick(number, id, { requested: shown, remaining, picked }, { updateWorkOrderRequest: model });
  const update = updateOf(floor.event("confirmStep", step));
  if (update === null) return null;
  const [changed] = update.itemRequests ?? [];
  return changed?.isCancelled === true ? 0 : (changed?.requestedAmount ?? null);
}
const receiptsOf = (floor: Floor, number = "N") =>
  floor.receipts(number).map(({ state, target, picked }) => [state, target, picked]);
const amountsIn = (floor: Floor, number: string) => {
  const order = floor.orders.find(number);
  return order?.state === "waiting" ? order.workOrder.requests.map(({ requestedAmount }) => requestedAmount) : [];
};

test("a reduction that is partly taken back while the order waits is offered as it stands then", () => {
  const floor = openFloor();
  pushOf(floor, 7);
  lowerTo(floor, 1);
  pushOf(floor, 3);
  expect(step(floor, { shown: 7, picked: 1 })).toBe(3);
  expect(step(floor, { shown: 3, remaining: 2, picked: 2 })).toBeNull();
  expect(receiptsOf(floor)).toEqual([
    ["superseded", 1, null],
    ["applied", 3, 3],
  ]);
});

test("what was lowered and applied, cancelled and then wanted again comes as a follow-up order", () => {
  const floor = openFloor();
  pushOf(floor, 6);
  step(floor, { shown: 6, picked: 1 });
  lowerTo(floor, 3);
  expect(step(floor, { shown: 6, remaining: 5, picked: 1 })).toBe(3);
  expect(step(floor, { shown: 3, remaining: 1, picked: 0 })).toBeNull();
  floor.cancel({ workOrderNumber: "N" });
  pushOf(floor, 6);
  expect(amountsIn(floor, "N-F1")).toEqual([3]);
  expect(step(floor, { shown: 3, remaining: 1, picked: 1 })).toBeNull();
  expect(amountsIn(floor, "N-F1")).toEqual([3]);
});

test("an increase of an order that was fetched but not begun comes as a follow-up order once the first step shows it", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  pushOf(floor, 8);
  expect(amountsIn(floor, "N")).toEqual([8]);
  expect(step(floor, { shown: 5, picked: 5 })).toBeNull();
  expect(amountsIn(floor, "N-F1")).toEqual([3]);
});

test("an increase of an order that was fetched after it needs no follow-up order", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  pushOf(floor, 8);
  expect(step(floor, { shown: 8, picked: 8 })).toBeNull();
  expect(floor.orders.find("N-F1")).toBeUndefined();
});

test("the put wall warns only of pieces beyond what all lines of the item want, counting what is placed", () => {
  const floor = openFloor();
  const place = (completedAmount: number) =>
    floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "A", completedAmount });
  const lines = [line("A", 2, { requestExternalIdentifier: "1" }), line("A", 3, { requestExternalIdentifier: "2" })];
  floor.push(workOrder({ number: "N", requests: lines }));
  place(1);
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "1" });
  expect(place(2)).toEqual(ok(null));
  expect(place(1)).toEqual(ok(null, { message: say("events.put-aside", { order: "N", item: "A", amount: "1" }) }));
});

test("cancelled, partly picked and pushed again: the follow-up and what the operator reads agree", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  step(floor, { shown: 5, picked: 1 });
  floor.cancel({ workOrderNumber: "N" });
  expect(step(floor, { shown: 5, remaining: 4, picked: 2 })).toBe(3);
  pushOf(floor, 5);
  const last = pick("N", 7, { requested: 5, remaining: 2, picked: 0 });
  expect(floor.event("confirmStep", last)).toEqual(ok({ updateWorkOrderRequest: null }));
  expect(floor.orders.find("N-F1")).toBeUndefined();
  expect(step(floor, { shown: 3, remaining: 0, picked: 0 })).toBeNull();
  expect(amountsIn(floor, "N-F1")).toEqual([2]);
});

test("pieces picked of a line that was cancelled while the order waited count", () => {
  const floor = openFloor();
  const both = [line("A", 4), line("B", 1)];
  floor.push(workOrder({ number: "N", requests: both }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  expect(step(floor, { shown: 4, picked: 4 })).toBeNull();
  floor.push(workOrder({ number: "N", requests: both }));
  expect(floor.orders.find("N-F1")).toBeUndefined();
});

test("a follow-up order is withdrawn where the platform never took the reduction over", () => {
  const floor = openFloor();
  pushOf(floor, 10);
  step(floor, { shown: 10, picked: 2 });
  lowerTo(floor, 6);
  expect(step(floor, { shown: 10, remaining: 8, picked: 1 })).toBe(6);
  step(floor, { shown: 6, remaining: 3, picked: 0 });
  pushOf(floor, 10);
  expect(amountsIn(floor, "N-F1")).toEqual([4]);
  expect(step(floor, { shown: 10, remaining: 7, picked: 7 })).toBeNull();
  expect(floor.orders.find("N-F1")?.state).toBe("cancelled");
});

test("an order fetched again with new request ids is the same order, ends and gives its container back", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  floor.event("attachWorkOrder", { workOrderNumber: "N", containerCode: "T1" });
  step(floor, { shown: 5, picked: 2 });
  step(floor, { shown: 5, remaining: 3, picked: 3 }, { id: 8 });
  expect(floor.ledgerLines("N")).toMatchObject([{ request: 8, picked: 5 }]);
  expect(floor.orders.find("N")?.state).toBe("finished");
  pushOf(floor, 1, "M");
  expect(floor.event("attachWorkOrder", { workOrderNumber: "M", containerCode: "T1" })).toEqual(ok(null));
});

test("a step that comes again under an earlier request id, after the order was fetched again, is booked once", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  const booked = () => floor.ledgerLines("N").map(({ request, requested, picked }) => [request, requested, picked]);
  const first = () => step(floor, { shown: 5, picked: 2 }, { id: 1 });
  first();
  step(floor, { shown: 3, picked: 1 }, { id: 2 });
  expect(booked()).toEqual([[2, 5, 3]]);
  first();
  expect(booked()).toEqual([[2, 5, 3]]);
  step(floor, { shown: 3, remaining: 2, picked: 2 }, { id: 2 });
  expect(booked()).toEqual([[2, 5, 5]]);
  first();
  expect(booked()).toEqual([[2, 5, 5]]);
});

test("an order fetched again from the beginning is lowered by what was picked before, once it is under change", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  step(floor, { shown: 5, picked: 2 });
  pushOf(floor, 6);
  expect(step(floor, { shown: 6, picked: 1 }, { id: 8 })).toBe(4);
  expect(floor.ledgerLines("N")).toMatchObject([{ request: 8, picked: 3 }]);
});

test.each([
  { first: 2, second: 3, offered: 3 },
  { first: 1, second: 4, offered: 4 },
])(
  "after $first and then $second the newer one is offered and told, once a model shows it",
  ({ first, second, offered }) => {
    const floor = openFloor();
    pushOf(floor, 6);
    step(floor, { shown: 6, picked: 1 });
    lowerTo(floor, first);
    lowerTo(floor, second);
    expect(receiptsOf(floor)).toEqual([
      ["superseded", first, null],
      ["pending", second, null],
    ]);
    expect(step(floor, { shown: 6, remaining: 5, picked: 0 })).toBe(offered);
    expect(step(floor, { shown: offered, remaining: offered - 1, picked: 0 })).toBeNull();
    expect(receiptsOf(floor).at(-1)).toEqual(["applied", second, 1]);
  },
);

test("what was offered, applied and then raised is held by the order and its follow-up together", () => {
  const floor = openFloor();
  pushOf(floor, 6);
  step(floor, { shown: 6, picked: 1 });
  lowerTo(floor, 1);
  expect(step(floor, { shown: 6, remaining: 5, picked: 0 })).toBe(1);
  lowerTo(floor, 4);
  expect(step(floor, { shown: 1, remaining: 0, picked: 0 })).toBeNull();
  expect(amountsIn(floor, "N-F1")).toEqual([3]);
});

test("an amount above the line's is the latest change too: what is more comes as a follow-up order", () => {
  const floor = openFloor();
  pushOf(floor, 6);
  step(floor, { shown: 6, picked: 1 });
  lowerTo(floor, 9);
  expect(amountsIn(floor, "N-F1")).toEqual([3]);
  expect(receiptsOf(floor)).toEqual([["removed", 9, 1]]);
});

test("an order that was worked on before it was pushed is not offered as new, and its picks count", () => {
  const floor = openFloor();
  step(floor, { shown: 6, picked: 2 });
  pushOf(floor, 4);
  expect(floor.orders.find("N")?.state).toBe("started");
  expect(step(floor, { shown: 6, remaining: 4, picked: 1 })).toBe(4);
});

test("removed is told with the order's end at the latest", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 4), line("B", 2)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.event("confirmStep", pick("N", 7, { requested: 4, remaining: 4, picked: 4 }));
  expect(floor.orders.find("N")?.state).toBe("finished");
  expect(receiptsOf(floor)).toEqual([["removed", 0, 0]]);
});

test("an amount lowered before the order was fetched teaches no factor of pieces", () => {
  const floor = openFloor();
  pushOf(floor, 4);
  lowerTo(floor, 2);
  lowerTo(floor, 1);
  expect(step(floor, { shown: 2, picked: 0 })).toBe(1);
  pushOf(floor, 3, "M");
  lowerTo(floor, 2, "M");
  expect(step(floor, { shown: 3, picked: 0 }, { number: "M" })).toBe(2);
});

test("a line of another unit is lowered to a part of a unit, and lists have the whole one", () => {
  const floor = openFloor();
  const metres = (number: string) => ({ number, requests: [line("A", 4, { unitOfMeasure: UnitOfMeasure.Meter })] });
  floor.push(workOrder(metres("N")));
  expect(step(floor, { shown: 4000, picked: 0 })).toBeNull();
  lowerTo(floor, 2.5);
  expect(step(floor, { shown: 4000, picked: 500 })).toBe(2500);
  expect(step(floor, { shown: 2500, remaining: 2000, picked: 2000 })).toBeNull();
  expect(receiptsOf(floor)).toEqual([["applied", 2.5, 2.5]]);
  floor.push(workOrder(metres("O")));
  lowerTo(floor, 2.5, "O");
  expect(amountsIn(floor, "O")).toEqual([3]);
});

test("a line of pieces that is lowered to a part of one keeps the whole piece", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  step(floor, { shown: 5, picked: 1 });
  lowerTo(floor, 2.5);
  expect(step(floor, { shown: 5, remaining: 4, picked: 1 })).toBe(3);
});

test("two contents leave a unit in doubt: nothing is offered, and nothing is carried to another order", () => {
  const floor = openFloor();
  const metres = { unitOfMeasure: UnitOfMeasure.Meter };
  floor.push(workOrder({ number: "N", requests: [line("A", 4, metres)] }));
  lowerTo(floor, 2);
  expect(step(floor, { shown: 2000, picked: 100 })).toBeNull();
  floor.push(workOrder({ number: "M", requests: [line("A", 3, metres)] }));
  step(floor, { shown: 3000, picked: 100 }, { number: "M" });
  lowerTo(floor, 1, "M");
  expect(step(floor, { shown: 3000, remaining: 2900, picked: 100 }, { number: "M" })).toBe(1000);
});

test("an unchanged push after a short pick asks for nothing again; a changed one asks for the whole line", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  step(floor, { shown: 5, picked: 2 });
  floor.event("cancelWorkOrderRequest", { workOrderNumber: "N", request: { requestId: 7, itemNumber: "A" } });
  pushOf(floor, 5);
  expect(floor.orders.find("N-F1")).toBeUndefined();
  pushOf(floor, 6);
  expect(amountsIn(floor, "N-F1")).toEqual([4]);
});

test("an order abandoned with nothing picked is offered again; one with something picked is not", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  floor.event("attachWorkOrder", { workOrderNumber: "N", containerCode: "T1" });
  step(floor, { shown: 5, picked: 0 });
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Abandoned });
  expect(floor.orders.find("N")?.state).toBe("waiting");
  step(floor, { shown: 5, picked: 1 });
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Paused });
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Abandoned });
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("what is picked in a follow-up order counts when the order is lowered", () => {
  const floor = openFloor();
  pushOf(floor, 5);
  step(floor, { shown: 5, picked: 1 });
  pushOf(floor, 8);
  expect(amountsIn(floor, "N-F1")).toEqual([3]);
  step(floor, { shown: 3, picked: 3 }, { id: 9, number: "N-F1" });
  lowerTo(floor, 5);
  expect(step(floor, { shown: 5, remaining: 4, picked: 1 })).toBe(2);
});
