import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import { say } from "../../messages/message.ts";
import { ok } from "../../operation/outcome.ts";

const accepted = ok({ updateWorkOrderRequest: null });

test("a step of an order that is not known is accepted and booked", () => {
  const floor = openFloor();
  expect(floor.event("confirmStep", pick("other", 7, { requested: 5, remaining: 5, picked: 2 }))).toEqual(accepted);
  expect(floor.ledgerLines("other")).toEqual([
    { item: "A", request: 7, factor: 1, requested: 5, picked: 2, cancelled: 0, over: 0 },
  ]);
});

test("a step is a sign of work: the order is no longer waiting", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 5, picked: 2 }));
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("an order is finished when every line is picked or cancelled", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5), line("B", 3), line("C", 1, { requestType: 0 })] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 5, picked: 2 }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 3, picked: 3 }));
  expect(floor.orders.find("N")?.state).toBe("started");
  floor.event("cancelWorkOrderRequest", {
    workOrderNumber: "N",
    request: { requestId: 8, itemNumber: "B", requestedAmountInBaseUnitOfMeasure: 3 },
  });
  expect(floor.orders.find("N")?.state).toBe("finished");
});

test("amounts are booked by item and location, summed over steps and containers", () => {
  const floor = openFloor();
  const shares = [
    { containerCode: "T1", amountToConfirmInBaseUnitOfMeasure: 1 },
    { containerCode: null, amountToConfirmInBaseUnitOfMeasure: 2 },
  ];
  const summary = { locationName: "L2", containersBreakdown: shares };
  floor.event("confirmStep", pick("N", 7, { requested: 9, remaining: 9, picked: 4 }));
  floor.event("confirmStep", pick("N", 7, { requested: 9, remaining: 5, picked: 2 }));
  floor.event("confirmCartStep", {
    workOrderNumber: "N",
    requestId: 7,
    requestAmountInBaseUnitOfMeasure: 9,
    requestRemainingAmountInBaseUnitOfMeasure: 3,
    amountToConfirmSummary: summary,
  });
  expect(floor.placements("N")).toEqual([
    { item: "A", location: "L1", amount: 6 },
    { item: "A", location: "L2", amount: 3 },
  ]);
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 9, picked: 9 }]);
});

test("a placing step is booked at the line's designated location, else at the storage", () => {
  const floor = openFloor();
  const placing = (requestId: number, itemNumber: string) => ({
    workOrderNumber: "N",
    requestId,
    itemNumber,
    storageName: "Hall",
    requestType: RequestType.PlaceItem,
    requestAmountInBaseUnitOfMeasure: 4,
    requestRemainingAmountInBaseUnitOfMeasure: 4,
    amountToConfirmPlacingInBaseUnitOfMeasure: 4,
  });
  floor.push(workOrder({ number: "N", requests: [line("A", 4, { designatedLocationName: "P1" }), line("B", 4)] }));
  floor.event("confirmStep", placing(7, "A"));
  floor.event("confirmStep", placing(8, "B"));
  expect(floor.placements("N")).toEqual([
    { item: "A", location: "P1", amount: 4 },
    { item: "B", location: "Hall", amount: 4 },
  ]);
});

test("a step equal to the latest of its line is booked once", () => {
  const floor = openFloor();
  const step = pick("N", 7, { requested: 5, remaining: 5, picked: 2 });
  floor.event("confirmStep", step);
  expect(floor.event("confirmStep", step)).toEqual(accepted);
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 2 }]);
  expect(floor.placements("N")).toEqual([{ item: "A", location: "L1", amount: 2 }]);
});

test("an older step that comes late is not booked again", () => {
  const floor = openFloor();
  const first = pick("N", 7, { requested: 9, remaining: 9, picked: 2 });
  floor.event("confirmStep", first);
  floor.event("confirmStep", pick("N", 7, { requested: 9, remaining: 7, picked: 3 }));
  floor.event("confirmStep", first);
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 5 }]);
  expect(floor.placements("N")).toEqual([{ item: "A", location: "L1", amount: 5 }]);
});

test("a step that a later one of its line has overtaken is placed, once, and counts nothing twice", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 3, picked: 3 }));
  const overtaken = pick("N", 7, { requested: 5, remaining: 5, picked: 2 });
  floor.event("confirmStep", overtaken);
  floor.event("confirmStep", overtaken);
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 5, picked: 5, over: 0 }]);
  expect(floor.placements("N")).toEqual([{ item: "A", location: "L1", amount: 5 }]);
});

test.each([
  ["tells no remaining amount", {}],
  ["picks more than requested", { requestRemainingAmountInBaseUnitOfMeasure: 0, requestAmountInBaseUnitOfMeasure: 5 }],
])("equal steps of a line with another in between are all placed where the platform %s", (_, amounts) => {
  const floor = openFloor();
  const from = (locationName: string) =>
    floor.event("confirmStep", {
      workOrderNumber: "N",
      requestId: 7,
      itemNumber: "A",
      ...amounts,
      amountToConfirmPickingSummary: {
        locationName,
        containersBreakdown: [{ containerCode: null, amountToConfirmInBaseUnitOfMeasure: 1 }],
      },
    });
  for (const locationName of ["L1", "L2", "L1"]) from(locationName);
  expect(floor.placements("N")).toEqual([
    { item: "A", location: "L1", amount: 2 },
    { item: "A", location: "L2", amount: 1 },
  ]);
});

test.each([
  ["that picks more than requested", { requested: 5, remaining: 0 }],
  ["that tells no amounts", {}],
])("a step %s is another one where its model is another one", (_, amounts) => {
  const floor = openFloor();
  const step = (requestedAmount: number) => ({
    ...pick("N", 7, { ...amounts, picked: 1 }),
    updateWorkOrderRequest: { id: 1, itemRequests: [{ requestId: 7, itemNumber: "A", requestedAmount }] },
  });
  for (const requestedAmount of [5, 4, 4]) floor.event("confirmStep", step(requestedAmount));
  expect(floor.placements("N")).toEqual([{ item: "A", location: "L1", amount: 2 }]);
});

test("the platform's own count wins where steps went unseen", () => {
  const floor = openFloor();
  floor.event("confirmStep", pick("N", 7, { requested: 9, remaining: 4, picked: 1 }));
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 9, picked: 6 }]);
});

test("more than requested is recorded apart, and the operator is told", () => {
  const floor = openFloor();
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 5, picked: 4 }));
  expect(floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 1, picked: 3 }))).toEqual({
    ...accepted,
    message: say("events.over-picked", { item: "A", over: 2 }),
  });
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 5, picked: 5, cancelled: 0, over: 2 }]);
  // The line has nothing remaining, however much was picked beyond it: one more piece still counts.
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 0, picked: 1 }));
  expect(floor.ledgerLines("N")).toMatchObject([{ picked: 5, over: 3 }]);
});

test("where nobody says how much is requested, nothing is too much", () => {
  const floor = openFloor();
  expect(floor.event("confirmStep", pick("N", 7, { picked: 2 }))).toEqual(accepted);
  expect(floor.event("confirmStep", pick("N", 7, { picked: 3 }))).toEqual(accepted);
  expect(floor.ledgerLines("N")).toMatchObject([{ requested: 5, picked: 5, over: 0 }]);
});

test("ledger lines are in base units, whose factor is learned at the first step of a line", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2, { unitOfMeasure: UnitOfMeasure.Meter })] }));
  floor.event("confirmStep", pick("N", 7, { requested: 2000, remaining: 2000, picked: 500 }));
  expect(floor.ledgerLines("N")).toMatchObject([{ factor: 1000, requested: 2000, picked: 500 }]);
});

test("the factor is learned from the model where the step does not tell the amount", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2, { unitOfMeasure: UnitOfMeasure.Meter })] }));
  const updateWorkOrderRequest = { id: 1, itemRequests: [{ requestId: 7, itemNumber: "A", requestedAmount: 200 }] };
  floor.event("confirmStep", pick("N", 7, { picked: 50 }, { updateWorkOrderRequest }));
  expect(floor.ledgerLines("N")).toMatchObject([{ factor: 100, requested: 200, picked: 50 }]);
});

test("lines are told apart by external id, else by item and lot", () => {
  const floor = openFloor();
  floor.push(
    workOrder({
      number: "N",
      requests: [
        line("A", 1, { requestExternalIdentifier: "e1" }),
        line("A", 2, { requestExternalIdentifier: "e2" }),
        line("B", 3, { lotNumber: "x" }),
        line("B", 4, { lotNumber: "y" }),
      ],
    }),
  );
  const all = { requested: 4, remaining: 4, picked: 4 };
  const lotY = { id: 1, itemRequests: [{ requestId: 9, itemNumber: "B", lotNumber: "y", requestedAmount: 4 }] };
  floor.event(
    "confirmStep",
    pick("N", 8, { requested: 2, remaining: 2, picked: 2 }, { requestExternalIdentifier: "e2" }),
  );
  floor.event("confirmStep", pick("N", 9, all, { itemNumber: "B", updateWorkOrderRequest: lotY }));
  expect(floor.ledgerLines("N").map(({ request, picked }) => [request, picked])).toEqual([
    [null, 0],
    [8, 2],
    [null, 0],
    [9, 4],
  ]);
});

test("two lines that nothing tells apart each get their own ledger line", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2), line("A", 2)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 2, remaining: 2, picked: 2 }));
  floor.event("confirmStep", pick("N", 8, { requested: 2, remaining: 2, picked: 2 }));
  expect(floor.ledgerLines("N").map(({ request, picked }) => [request, picked])).toEqual([
    [7, 2],
    [8, 2],
  ]);
  expect(floor.orders.find("N")?.state).toBe("finished");
});
