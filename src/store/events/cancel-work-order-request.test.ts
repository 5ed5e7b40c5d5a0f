import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { ok } from "../../operation/outcome.ts";

const cancelled = (completed: number) => ({
  workOrderNumber: "N",
  request: {
    requestId: 7,
    itemNumber: "A",
    requestedAmountInBaseUnitOfMeasure: 5,
    completedAmountInBaseUnitOfMeasure: completed,
    isCancelled: true,
  },
});

test("the rest of the line is cancelled, and the same again changes nothing", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5), line("B", 1)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 5, picked: 2 }));
  for (let time = 0; time < 2; time++) expect(floor.event("cancelWorkOrderRequest", cancelled(2))).toEqual(ok(null));
  expect(floor.ledgerLines("N")[0]).toMatchObject({ requested: 5, picked: 2, cancelled: 3 });
});

test("the platform's completed amount counts where steps went unseen", () => {
  const floor = openFloor();
  floor.event("cancelWorkOrderRequest", cancelled(4));
  expect(floor.ledgerLines("N")).toMatchObject([{ request: 7, requested: 5, picked: 4, cancelled: 1 }]);
});

test("a line named by its external id alone is found", () => {
  const floor = openFloor();
  const requests = [
    line("A", 5, { requestExternalIdentifier: "e1" }),
    line("A", 3, { requestExternalIdentifier: "e2" }),
  ];
  floor.push(workOrder({ number: "N", requests }));
  floor.event("cancelWorkOrderRequest", { workOrderNumber: "N", requestExternalIdentifier: "e2" });
  expect(floor.ledgerLines("N").map(({ cancelled }) => cancelled)).toEqual([0, 3]);
});

test("a line cancelled on the floor settles the ERP's change of it", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5), line("B", 1)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 5, picked: 2 }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  floor.event("cancelWorkOrderRequest", cancelled(2));
  expect(floor.receipts("N")).toMatchObject([{ state: "partly", picked: 2 }]);
});
