import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../../test/support/embedded-store.ts";
import { line, openFloor, pick, updateOf } from "../../../../test/support/floor.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { type OrderState, openOrderStore } from "../order-store.ts";
import { pushWorkOrder } from "./push-work-order.ts";

function warehouse() {
  const { writer } = embeddedStore();
  const orders = openOrderStore(writer);
  const told: (readonly [OrderState, WorkOrder])[] = [];
  const changes = {
    takeBack: () => {},
    revise: (stored: { state: OrderState }, order: WorkOrder) => void told.push([stored.state, order]),
  };
  const take = pushWorkOrder({ orders, changes });
  const push = (order: WorkOrder) => {
    orders.takeTouched();
    take(order, { id: "evt_1", seq: 1, topic: "workOrders", payload: order, receivedAt: 1 });
    return orders.takeTouched();
  };
  return { orders, told, push };
}
const first = workOrder({ number: "N", description: "first" });
const second = workOrder({ number: "N", description: "second" });

test("a new order waits", () => {
  const { orders, push } = warehouse();
  expect(push(first)).toBe(true);
  expect(orders.find("N")).toMatchObject({ state: "waiting", workOrder: first });
});

test("the same content again is no change, whatever the order of its members", () => {
  const { push, told } = warehouse();
  push(first);
  const { description, ...rest } = first;
  expect(push({ description, ...rest } as WorkOrder)).toBe(false);
  expect(told).toEqual([]);
});

test("a waiting order is replaced at once, and the changes hear of it before", () => {
  const { orders, push, told } = warehouse();
  push(first);
  expect(push(second)).toBe(true);
  expect(orders.find("N")).toMatchObject({ state: "waiting", workOrder: second, originalWorkOrder: first });
  expect(told).toEqual([["waiting", second]]);
});

test.each([[first], [second]])(
  "an order cancelled before anybody began is reinstated, by the same content too",
  (again) => {
    const { orders, push, told } = warehouse();
    push(first);
    orders.setState("N", "cancelled");
    expect(push(again)).toBe(true);
    expect(orders.find("N")).toMatchObject({ state: "waiting", workOrder: again });
    expect(told).toEqual([["cancelled", again]]);
  },
);

test("an order that was begun, cancelled while being picked or finished is left to the changes", () => {
  for (const state of ["started", "cancelled", "finished"] as const) {
    const { orders, push, told } = warehouse();
    push(first);
    orders.sign("N");
    orders.setState("N", state);
    expect(push(second)).toBe(false);
    expect(orders.find("N")).toMatchObject({ state, workOrder: first });
    expect(told).toEqual([[state, second]]);
  }
});

test("a running order pushed with its first content reaches the changes too: it may take a reduction back", () => {
  const { orders, push, told } = warehouse();
  push(first);
  orders.sign("N");
  push(first);
  expect(told).toEqual([["started", first]]);
});

/** What a step of 10 A is answered whose model shows them all as wanted. */
function answered(floor: ReturnType<typeof openFloor>) {
  const updateWorkOrderRequest = { itemRequests: [{ requestId: 1, itemNumber: "A", requestedAmount: 10 }] };
  const step = pick("N", 1, { requested: 10, remaining: 10, picked: 1 }, { updateWorkOrderRequest });
  return updateOf(floor.tell("confirmStep", step));
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
    expect(floor.receipts("N")).toMatchObject([{ state: "superseded", watched: 0 }]);
  },
);

test("a cancelled line that the order coming after it does not have either goes on", () => {
  const floor = openFloor();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.push(ten);
  // The platform has the order by another way, with more in it.
  const itemRequests = [
    { requestId: 1, itemNumber: "A", requestedAmount: 10 },
    { requestId: 2, itemNumber: "B", requestedAmount: 5 },
  ];
  const step = pick("N", 1, { requested: 10, remaining: 10, picked: 1 }, { updateWorkOrderRequest: { itemRequests } });
  expect(updateOf(floor.tell("confirmStep", step))?.itemRequests?.[1]).toMatchObject({ isCancelled: true });
});
