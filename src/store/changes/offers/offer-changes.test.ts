import { expect, test } from "vitest";
import { workOrder } from "../../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick, updateOf } from "../../../../test/support/floor/floor.ts";
import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { UpdatedLine } from "../../../contract/schemas/confirm-step.ts";
import { row, text } from "../../../kit/sqlite/row.ts";
import { say } from "../../../messages/message.ts";

const shown = (requestId: number, itemNumber: string, requestedAmount: number, more: Partial<UpdatedLine> = {}) => ({
  requestId,
  itemNumber,
  requestedAmount,
  isCancelled: false,
  ...more,
});
const model = (...itemRequests: UpdatedLine[]) => ({ id: 42, description: "as received", itemRequests });

/** An order of 10 A and 5 B whose first step, 2 of A, is done. */
function running() {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 2 }));
  return floor;
}
/** The next step of A, with a model. */
const next = (itemRequests: UpdatedLine[], remaining = 8, picked = 1) =>
  pick("N", 1, { requested: 10, remaining, picked }, { updateWorkOrderRequest: model(...itemRequests) });

test("without a pending change the answer is null", () => {
  expect(updateOf(running().event("confirmStep", next([shown(1, "A", 10), shown(2, "B", 5)])))).toBeNull();
});

test("a cancelled line comes back in the model as received, cancelled and otherwise unchanged", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B", reason: "customer called" });
  const received = [shown(1, "A", 10), { ...shown(2, "B", 5, { lotNumber: "x" }), unknownMember: { deep: [1] } }];
  const outcome = floor.event("confirmStep", next(received));
  expect(updateOf(outcome)).toEqual(model(shown(1, "A", 10), { ...received[1], isCancelled: true }));
  expect(outcome).toMatchObject({ message: say("events.order-changed", { order: "N", goods: "B × 0" }) });
});

test("a line picked in part is lowered to what is picked with this very step", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  const update = updateOf(floor.event("confirmStep", next([shown(1, "A", 10)])));
  expect(update?.itemRequests).toEqual([shown(1, "A", 3)]);
});

test("a reduction lowers to the wanted amount, or to what is picked if that is more", () => {
  const lowered = (requestedAmount: number) => {
    const floor = running();
    floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount });
    return updateOf(floor.event("confirmStep", next([shown(1, "A", 10)])))?.itemRequests?.[0]?.requestedAmount;
  };
  expect([lowered(7), lowered(1)]).toEqual([7, 3]);
});

test("a cart step is answered in the same way", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  const outcome = floor.event("confirmCartStep", {
    workOrderNumber: "N",
    requestId: 1,
    updateWorkOrderRequest: model(shown(2, "B", 5)),
    amountToConfirmSummary: { containersBreakdown: [] },
  });
  expect(updateOf(outcome)).toEqual(model(shown(2, "B", 5, { isCancelled: true })));
});

test("a change is offered until it is seen, and not once it is seen", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  const before = [shown(1, "A", 10), shown(2, "B", 5)];
  expect(updateOf(floor.event("confirmStep", next(before, 8)))).not.toBeNull();
  expect(updateOf(floor.event("confirmStep", next(before, 7)))).not.toBeNull();
  expect(floor.receipts("N")).toMatchObject([{ state: "pending", offered: 2 }]);
  const after = [shown(1, "A", 10), shown(2, "B", 5, { isCancelled: true })];
  expect(updateOf(floor.event("confirmStep", next(after, 6)))).toBeNull();
  expect(floor.receipts("N")).toMatchObject([{ state: "applied", step: 4, picked: 0 }]);
  expect(floor.ledgerLines("N")[1]).toMatchObject({ item: "B", cancelled: 5 });
  // A model that shows the old line again has not taken the change: it is offered again, without a second receipt.
  expect(updateOf(floor.event("confirmStep", next(before, 5)))).not.toBeNull();
  expect(floor.receipts("N")).toMatchObject([{ state: "applied", step: 4, picked: 0 }]);
});

test("a line that is missing after it was offered counts as applied", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.event("confirmStep", next([shown(1, "A", 10), shown(2, "B", 5)], 8));
  expect(updateOf(floor.event("confirmStep", next([shown(1, "A", 10)], 7)))).toBeNull();
  expect(floor.receipts("N")).toMatchObject([{ state: "applied" }]);
});

test("a line that no model has shown yet stays pending", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  expect(updateOf(floor.event("confirmStep", next([shown(1, "A", 10)], 8)))).toBeNull();
  expect(updateOf(floor.event("confirmStep", next([shown(2, "B", 5)], 7)))).not.toBeNull();
});

test("without a received model the answer is null, the change stays pending and the operator is warned", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  const outcome = floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 8, picked: 1 }));
  expect(updateOf(outcome)).toBeNull();
  expect(outcome).toMatchObject({ message: say("events.put-aside", { order: "N", item: "A", amount: "3" }) });
  expect(floor.receipts("N")).toMatchObject([{ state: "pending", offered: 0 }]);
});

test("a line picked in part gets the receipt partly, with the picked amount", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  floor.event("confirmStep", next([shown(1, "A", 10), shown(2, "B", 5)]));
  const after = model(shown(1, "A", 3), shown(2, "B", 5));
  floor.event("confirmStep", {
    ...pick("N", 2, { requested: 5, remaining: 5, picked: 1 }, { itemNumber: "B" }),
    updateWorkOrderRequest: after,
  });
  expect(floor.receipts("N")).toMatchObject([{ state: "partly", picked: 3 }]);
  expect(floor.ledgerLines("N")[0]).toMatchObject({ requested: 10, picked: 3, cancelled: 7 });
});

test("a line already picked to the end is too late", () => {
  const floor = running();
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 8, picked: 8 }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  const step = pick("N", 2, { requested: 5, remaining: 5, picked: 1 }, { itemNumber: "B" });
  const update = { updateWorkOrderRequest: model(shown(1, "A", 10), shown(2, "B", 5)) };
  expect(updateOf(floor.event("confirmStep", { ...step, ...update }))).toBeNull();
  expect(floor.receipts("N")).toMatchObject([{ state: "too-late", picked: 10 }]);
});

test("a cancelled order covers the lines of every later model", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N" });
  const first = updateOf(floor.event("confirmStep", next([shown(1, "A", 10)], 8)));
  expect(first?.itemRequests).toEqual([shown(1, "A", 3)]);
  expect(updateOf(floor.event("confirmStep", next([shown(1, "A", 3)], 0, 0)))).toBeNull();
  const later = updateOf(floor.event("confirmStep", next([shown(1, "A", 3), shown(2, "B", 5)], 0, 0)));
  expect(later?.itemRequests).toEqual([shown(1, "A", 3), shown(2, "B", 5, { isCancelled: true })]);
});

test("an order that is not known is changed too, once a step brings its model", () => {
  const floor = openFloor();
  floor.cancel({ workOrderNumber: "X", requestExternalIdentifier: "e2" });
  const received = model(
    shown(1, "A", 4, { externalIdentifier: "e1" }),
    shown(2, "A", 4, { externalIdentifier: "e2" }),
  );
  const step = pick("X", 1, { requested: 4, remaining: 4, picked: 1 }, { updateWorkOrderRequest: received });
  expect(updateOf(floor.event("confirmStep", step))?.itemRequests?.map((one) => one.isCancelled)).toEqual([
    false,
    true,
  ]);
});

test("a line is found by its external id, else by the platform's id, else by item and lot", () => {
  const requests = [
    line("A", 4, { requestExternalIdentifier: "e1", lotNumber: "x" }),
    line("A", 4, { requestExternalIdentifier: "e2", lotNumber: "y" }),
  ];
  const cancelled = (seen: { requestExternalIdentifier?: string }, ...lines: UpdatedLine[]) => {
    const floor = openFloor();
    floor.push(workOrder({ number: "N", requests }));
    floor.event("confirmStep", pick("N", 2, { requested: 4, remaining: 4, picked: 1 }, seen));
    floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "e1" });
    const step = pick("N", 2, { requested: 4, remaining: 3, picked: 1 }, { updateWorkOrderRequest: model(...lines) });
    return updateOf(floor.event("confirmStep", step))?.itemRequests?.map((one) => one.isCancelled);
  };
  const seen = { requestExternalIdentifier: "e2" };
  expect(
    cancelled(seen, shown(2, "A", 4, { externalIdentifier: "e2" }), shown(1, "A", 4, { externalIdentifier: "e1" })),
  ).toEqual([false, true]);
  expect(cancelled(seen, shown(2, "A", 4), shown(1, "A", 4))).toEqual([false, true]);
  expect(cancelled(seen, shown(2, "A", 4, { lotNumber: "y" }), shown(1, "A", 4, { lotNumber: "x" }))).toEqual([
    false,
    true,
  ]);
});

test("a reduction that names an item with several lines lowers them together, the later ones first", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5), line("A", 5)] }));
  floor.event("confirmStep", pick("N", 1, { requested: 5, remaining: 5, picked: 1 }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 7 });
  const received = { updateWorkOrderRequest: model(shown(1, "A", 5), shown(2, "A", 5)) };
  const update = updateOf(
    floor.event("confirmStep", pick("N", 1, { requested: 5, remaining: 4, picked: 1 }, received)),
  );
  expect(update?.itemRequests?.map((one) => one.requestedAmount)).toEqual([5, 2]);
});

/** An order of 2 metres, its factor learned from 2 → `base`, then reduced to 1 metre. */
function metres(base: number) {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2, { unitOfMeasure: UnitOfMeasure.Meter })] }));
  floor.event("confirmStep", pick("N", 1, { requested: base, remaining: base, picked: 1 }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 1 });
  const received = { updateWorkOrderRequest: model(shown(1, "A", base)) };
  return {
    floor,
    outcome: floor.event("confirmStep", pick("N", 1, { requested: base, remaining: base - 1, picked: 1 }, received)),
  };
}

test("a reduction is converted to base units by the factor learned from the line", () => {
  expect(updateOf(metres(2000).outcome)?.itemRequests?.[0]?.requestedAmount).toBe(1000);
});

test("a reduction whose factor is not certain is not offered: it stays pending and the operator is told", () => {
  const { floor, outcome } = metres(2001);
  expect(updateOf(outcome)).toBeNull();
  expect(outcome).toMatchObject({ message: say("events.change-uncertain", { order: "N", item: "A", amount: "1 m" }) });
  expect(floor.receipts("N")).toMatchObject([{ state: "pending", offered: 0 }]);
});

test("a whole amount is offered under a new request id, though a part of a unit was picked under the one before", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 10)] }));
  const step = (id: number, picked: number) =>
    pick("N", id, { requested: 10, remaining: 10, picked }, { updateWorkOrderRequest: model(shown(id, "A", 10)) });
  floor.event("confirmStep", step(1, 1.5));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  expect(updateOf(floor.event("confirmStep", step(5, 0.5)))?.itemRequests).toEqual([shown(5, "A", 3)]);
  // Includes the 1.5 picked under the first id: the history shows what was sent, over all fetches of the line.
  const kept = floor.database
    .query("SELECT lines FROM step_amounts ORDER BY id DESC LIMIT 1", row({ lines: text }))
    .get();
  expect(JSON.parse(kept?.lines ?? "")).toMatchObject([{ wanted: 4, picked: 2, offered: 4.5 }]);
});

test("a cancellation needs no factor: nothing is nothing in any unit", () => {
  const { floor } = metres(2001);
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  const received = { updateWorkOrderRequest: model(shown(1, "A", 2001)) };
  const outcome = floor.event("confirmStep", pick("N", 1, { requested: 2001, remaining: 1999, picked: 1 }, received));
  expect(updateOf(outcome)?.itemRequests?.[0]?.requestedAmount).toBe(3);
});

test("an id that stands for two lines of a model stops nobody: the second one is known by its item", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  const received = [shown(0, "A", 10), shown(0, "B", 5)];
  const step = (remaining: number) =>
    pick("N", 0, { requested: 10, remaining, picked: 1 }, { updateWorkOrderRequest: model(...received) });
  for (const remaining of [10, 9]) {
    expect(updateOf(floor.event("confirmStep", step(remaining)))).toEqual(
      model(shown(0, "A", 10), shown(0, "B", 5, { isCancelled: true })),
    );
  }
  expect(floor.ledgerLines("N")).toMatchObject([
    { item: "A", request: 0, requested: 10, picked: 2 },
    { item: "B", request: null, picked: 0 },
  ]);
});

test("a line that a model shows twice has one ledger line", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "C" });
  const extra = shown(7, "C", 3);
  expect(updateOf(floor.event("confirmStep", next([shown(1, "A", 10), extra, extra])))?.itemRequests).toEqual([
    shown(1, "A", 10),
    ...[extra, extra].map((received) => ({ ...received, isCancelled: true })),
  ]);
  expect(floor.ledgerLines("N").map(({ item, request }) => [item, request])).toEqual([
    ["A", 1],
    ["B", null],
    ["C", 7],
  ]);
});

test("without a model a text names what this order is to bring, and not what all orders together are to", () => {
  const floor = running();
  floor.push(workOrder({ number: "N", requests: [line("A", 14), line("B", 5)] }));
  floor.event("confirmStep", pick("N-F1", 9, { requested: 4, remaining: 4, picked: 4 }));
  floor.push(workOrder({ number: "N", requests: [line("A", 9), line("B", 5)] }));
  const outcome = floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 8, picked: 1 }));
  expect(outcome).toMatchObject({ message: say("events.item-reduced", { order: "N", item: "A", amount: "5" }) });
});

test("amounts of different units are told item by item, each with its unit", () => {
  const floor = openFloor();
  const kilograms = line("K", 2, { unitOfMeasure: UnitOfMeasure.Kilogram });
  floor.push(workOrder({ number: "N", requests: [line("A", 10), kilograms] }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 3 }));
  floor.event("confirmStep", pick("N", 2, { requested: 2000, remaining: 2000, picked: 1500 }, { itemNumber: "K" }));
  floor.cancel({ workOrderNumber: "N" });
  const outcome = floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 7, picked: 0 }));
  expect(outcome).toMatchObject({
    message: say("events.order-cancelled", { order: "N", goods: "A × 3, K × 1.5 kg" }),
  });
});
