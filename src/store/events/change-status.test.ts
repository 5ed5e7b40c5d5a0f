import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor } from "../../../test/support/floor/floor.ts";
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
