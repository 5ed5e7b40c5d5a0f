import { expect, test } from "vitest";
import { workOrder } from "../../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick, updateOf } from "../../../../test/support/floor/floor.ts";
import { Fault } from "../../../operation/fault.ts";

const order = workOrder({
  number: "N",
  requests: [line("A", 10, { requestExternalIdentifier: "e1" }), line("B", 5, { requestExternalIdentifier: "e2" })],
});
function floorWith(given = order): Floor {
  const floor = openFloor();
  floor.push(given);
  return floor;
}
const amounts = (floor: Floor, number = "N") =>
  floor.orders.find(number)?.workOrder.requests.map((request) => [request.itemNumber, request.requestedAmount]);
const states = (floor: Floor, number = "N") => floor.receipts(number).map(({ state, receipt }) => [state, receipt]);

test("a cancelled line leaves a waiting order at once, and its receipt waits for the platform", () => {
  const floor = floorWith();
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "e1" });
  expect(amounts(floor)).toEqual([["B", 5]]);
  expect(floor.orders.find("N")?.state).toBe("waiting");
  expect(states(floor)).toEqual([["pending", "open"]]);
});

test("a reduction lowers a waiting order at once", () => {
  const floor = floorWith();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  expect(amounts(floor)).toEqual([
    ["A", 4],
    ["B", 5],
  ]);
});

test("a waiting order is cancelled as a whole, or with its last line", () => {
  const whole = floorWith();
  whole.cancel({ workOrderNumber: "N" });
  expect(whole.orders.find("N")?.state).toBe("cancelled");

  const lastLine = floorWith();
  lastLine.cancel({ workOrderNumber: "N", itemNumber: "A" });
  lastLine.cancel({ workOrderNumber: "N", itemNumber: "B", requestedAmount: 0 });
  expect(lastLine.orders.find("N")?.state).toBe("cancelled");
});

test("a platform that had fetched the order before gets the change with its first step", () => {
  const floor = floorWith();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  const itemRequests = [
    { requestId: 1, itemNumber: "A", requestedAmount: 10 },
    { requestId: 2, itemNumber: "B", requestedAmount: 5 },
  ];
  const step = pick("N", 1, { requested: 10, remaining: 10, picked: 1 }, { updateWorkOrderRequest: { itemRequests } });
  expect(updateOf(floor.event("confirmStep", step))?.itemRequests).toEqual([
    { requestId: 1, itemNumber: "A", requestedAmount: 4 },
    { requestId: 2, itemNumber: "B", requestedAmount: 5, isCancelled: true },
  ]);
});

test("a platform that fetched the order after the change is offered nothing, and the receipt is removed", () => {
  const floor = floorWith();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  const itemRequests = [{ requestId: 1, itemNumber: "A", requestedAmount: 4 }];
  const step = pick("N", 1, { requested: 4, remaining: 4, picked: 1 }, { updateWorkOrderRequest: { itemRequests } });
  expect(updateOf(floor.event("confirmStep", step))).toBeNull();
  expect(states(floor)).toEqual([["removed", "due"]]);
});

test("a change to an order that is not known stays pending", () => {
  const floor = openFloor();
  floor.cancel({ workOrderNumber: "X", itemNumber: "A", requestedAmount: 1 });
  expect(states(floor, "X")).toEqual([["pending", "open"]]);
});

test("the latest change counts, higher or lower: an older one without a receipt gets none", () => {
  const floor = floorWith();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 10 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 6 });
  expect(states(floor)).toEqual([
    ["superseded", "none"],
    ["superseded", "none"],
    ["pending", "open"],
  ]);
  expect(amounts(floor)?.[0]).toEqual(["A", 6]);
});

test("a newer change of the same line takes the place of the older one", () => {
  const floor = floorWith();
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 1 }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 6 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 3 });
  expect(states(floor)).toEqual([
    ["superseded", "none"],
    ["pending", "open"],
    ["pending", "open"],
  ]);
  floor.cancel({ workOrderNumber: "N" });
  expect(states(floor).map(([state]) => state)).toEqual(["superseded", "superseded", "superseded", "pending"]);
});

test("a change to a finished order gets its receipt at once", () => {
  const floor = floorWith(workOrder({ number: "N", requests: [line("A", 10)] }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 10 }));
  expect(floor.orders.find("N")?.state).toBe("finished");
  floor.cancel({ workOrderNumber: "N" });
  expect(floor.receipts("N")).toMatchObject([{ state: "too-late", receipt: "due", picked: 10 }]);
});

test("a reduction that names no line is refused: it could only be guessed", () => {
  const floor = floorWith();
  expect(() => floor.cancel({ workOrderNumber: "N", requestedAmount: 3 })).toThrow(Fault);
});

test("a lot without an item is refused too, and would otherwise cancel the whole order", () => {
  const floor = floorWith();
  expect(() => floor.cancel({ workOrderNumber: "N", lotNumber: "x" })).toThrow(Fault);
});

test("a cancellation may name the lot of a line", () => {
  const lots = [line("A", 4, { lotNumber: "x" }), line("A", 5, { lotNumber: "y" }), line("A", 6)];
  const floor = floorWith(workOrder({ number: "N", requests: lots }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", lotNumber: "y", requestedAmount: 2 });
  expect(amounts(floor)).toEqual([
    ["A", 4],
    ["A", 2],
    ["A", 6],
  ]);
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", lotNumber: "x" });
  expect(amounts(floor)).toEqual([
    ["A", 2],
    ["A", 6],
  ]);
});
