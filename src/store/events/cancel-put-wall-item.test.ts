import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor } from "../../../test/support/floor/floor.ts";
import { ok } from "../../operation/outcome.ts";

test("what remains of the item is cancelled on all its lines, and sent twice changes nothing", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2), line("A", 3), line("B", 1)] }));
  floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "A", completedAmount: 3 });
  const cancel = { workOrderNumber: "N", itemNumber: "A" };
  expect(floor.event("cancelPutWallItem", cancel)).toEqual(ok(null));
  expect(floor.event("cancelPutWallItem", cancel)).toEqual(ok(null));
  expect(floor.ledgerLines("N").map(({ picked, cancelled }) => [picked, cancelled])).toEqual([
    [2, 0],
    [1, 2],
    [0, 0],
  ]);
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("an order whose last open item is cancelled is finished", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2)] }));
  floor.event("cancelPutWallItem", { workOrderNumber: "N", itemNumber: "A" });
  expect(floor.orders.find("N")?.state).toBe("finished");
});

test("orders that are not known are accepted", () => {
  expect(openFloor().event("cancelPutWallItem", { workOrderNumber: "?", itemNumber: "A" })).toEqual(ok(null));
});

test("an item cancelled on the floor too settles the ERP's cancellation", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2), line("B", 1)] }));
  floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "B", completedAmount: 1 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  floor.event("cancelPutWallItem", { workOrderNumber: "N", itemNumber: "A" });
  expect(floor.receipts("N")).toMatchObject([{ state: "removed", picked: 0 }]);
});
