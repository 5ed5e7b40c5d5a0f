import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick, updateOf } from "../../../test/support/floor/floor.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";

const first = workOrder({ number: "N", description: "first" });
const second = workOrder({ number: "N", description: "second" });

function floorWith(...pushed: WorkOrder[]) {
  const floor = openFloor();
  for (const order of pushed) floor.push(order);
  return floor;
}
const begin = (floor: ReturnType<typeof openFloor>) => floor.event("changeStatus", { number: "N", status: 2 });

test("a new order waits", () => {
  expect(floorWith(first).orders.find("N")).toMatchObject({ state: "waiting", workOrder: first });
});

test("the same content again is no change, whatever the order of its members", () => {
  const floor = floorWith(first);
  const { description, ...rest } = first;
  floor.orders.drainCachesOutdated();
  floor.push({ description, ...rest } as WorkOrder);
  expect(floor.orders.drainCachesOutdated()).toBe(false);
});

test("a waiting order is replaced at once", () => {
  expect(floorWith(first, second).orders.find("N")).toMatchObject({ state: "waiting", workOrder: second });
});

test.each([[first], [second]])(
  "an order cancelled before anybody began is reinstated, by the same content too",
  (again) => {
    const floor = floorWith(first);
    floor.cancel({ workOrderNumber: "N" });
    floor.push(again);
    expect(floor.orders.find("N")).toMatchObject({ state: "waiting", workOrder: again });
  },
);

test("an order that is being picked returns to a scan what is wanted now, and keeps its state", () => {
  const floor = floorWith(first);
  begin(floor);
  floor.push(second);
  expect(floor.orders.find("N")).toMatchObject({ state: "started", workOrder: second });
});

test("a finished order pushed again as it was stays finished", () => {
  const floor = floorWith(first);
  floor.event("changeStatus", { number: "N", status: 3 });
  floor.push(first);
  expect(floor.orders.find("N")).toMatchObject({ state: "finished", workOrder: first });
});

test.each([
  [
    "a step",
    (floor: ReturnType<typeof openFloor>) => floor.event("confirmStep", pick("N", 1, { requested: 2, picked: 1 })),
    "started",
  ],
  ["the status Assigned", begin, "started"],
  [
    "the status Completed",
    (floor: ReturnType<typeof openFloor>) => floor.event("changeStatus", { number: "N", status: 3 }),
    "finished",
  ],
] as const)("after %s an order that is pushed for the first time is not offered as new", (_, work, state) => {
  const floor = openFloor();
  work(floor);
  floor.push(first);
  expect(floor.orders.find("N")?.state).toBe(state);
});

/** The answer to a step of 10 A whose model shows all of them as wanted. */
function answered(floor: ReturnType<typeof openFloor>) {
  const updateWorkOrderRequest = { itemRequests: [{ requestId: 1, itemNumber: "A", requestedAmount: 10 }] };
  const step = pick("N", 1, { requested: 10, remaining: 10, picked: 1 }, { updateWorkOrderRequest });
  return updateOf(floor.event("confirmStep", step));
}
const ten = workOrder({ number: "N", requests: [line("A", 10)] });

test.each([[{}], [{ itemNumber: "A" }], [{ itemNumber: "A", requestedAmount: 4 }]])(
  "an order that comes after a cancellation of it (%j) is what the ERP wants now",
  (cancelled) => {
    const floor = openFloor();
    floor.cancel({ workOrderNumber: "N", ...cancelled });
    floor.push(ten);
    expect(floor.orders.find("N")).toMatchObject({ state: "waiting", workOrder: ten });
    expect(answered(floor)).toBeNull();
    expect(floor.receipts("N")).toMatchObject([{ state: "superseded" }]);
  },
);

test("a cancelled line that the order coming after it does not have either goes on", () => {
  const floor = openFloor();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.push(ten);
  // The platform got the order by another way, with more lines.
  const itemRequests = [
    { requestId: 1, itemNumber: "A", requestedAmount: 10 },
    { requestId: 2, itemNumber: "B", requestedAmount: 5 },
  ];
  const step = pick("N", 1, { requested: 10, remaining: 10, picked: 1 }, { updateWorkOrderRequest: { itemRequests } });
  expect(updateOf(floor.event("confirmStep", step))?.itemRequests?.[1]).toMatchObject({ isCancelled: true });
});
