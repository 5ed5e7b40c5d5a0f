import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { WorkOrderStatus } from "../../contract/enums.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import { ok } from "../../operation/outcome.ts";

test.each([
  ["New", "waiting"],
  ["Paused", "started"],
  ["Assigned", "started"],
  ["Completed", "finished"],
  ["Empty", "finished"],
  ["Abandoned", "waiting"],
  ["Canceled", "cancelled"],
  ["CompletedWithCancelations", "finished"],
  ["Unknown", "waiting"],
] as const)("the status %s leaves a waiting order %s", (status, state) => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N" }));
  expect(floor.event("changeStatus", { number: "N", status: WorkOrderStatus[status] })).toEqual(ok(null));
  expect(floor.orders.find("N")?.state).toBe(state);
});

test("any transition is recorded, the same status again is none", () => {
  const floor = openFloor();
  for (const status of [2, 2, 3, 2] as const) floor.event("changeStatus", { number: "unknown", status });
  const history = floor.database.query("SELECT status FROM order_status ORDER BY id", row({ status: integer })).all();
  expect(history.map(({ status }) => status)).toEqual([2, 3, 2]);
});

test("given back twice, an order is offered twice; the same status again without work in between changes nothing", () => {
  const floor = openFloor();
  const attached = { workOrderNumber: "N", containerCode: "T1" };
  const prepareRelease = () => floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Abandoned });
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  for (const begin of [
    () => floor.event("attachWorkOrder", attached),
    () => floor.event("confirmStep", pick("N", 1, { requested: 5, remaining: 5, picked: 0 })),
  ]) {
    begin();
    expect(floor.orders.find("N")?.state).toBe("started");
    prepareRelease();
    expect(floor.orders.find("N")?.state).toBe("waiting");
    prepareRelease();
  }
  const history = floor.database.query("SELECT status FROM order_status ORDER BY id", row({ status: integer })).all();
  expect(history).toHaveLength(2);
});

test("completed twice with a step in between, an order has ended twice", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  const give = () => floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Completed });
  give();
  floor.event("confirmStep", pick("N", 1, { requested: 5, remaining: 5, picked: 2 }));
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 2, cancelled: 0 }]);
  give();
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 2, cancelled: 3 }]);
});

test("an order that ended settles what is still pending of it by what was picked", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5), line("B", 2)] }));
  floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "A", completedAmount: 3 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 2 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.CompletedWithCancelations });
  expect(floor.receipts("N")).toMatchObject([
    { state: "partly", picked: 3 },
    { state: "removed", picked: 0 },
  ]);
});
