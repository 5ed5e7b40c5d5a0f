import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick, updateOf } from "../../../test/support/floor/floor.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import { WorkOrderStatus } from "../../contract/enums.ts";
import { say } from "../../messages/message.ts";
import { ok, ReadyJson, ReadyJsonList, refuse } from "../../operation/outcome.ts";
import { changeNoticesIn } from "../queries/change-notice.ts";
import { findPutWallOrders } from "../queries/find-put-wall-orders.ts";
import { findWorkOrderByCode, readyAnswers } from "../queries/find-work-order-by-code.ts";

const order = workOrder({ number: "N", deliveryNumber: "D", requests: [line("A", 10), line("B", 5)] });
const text = JSON.stringify(order);
const attached = { workOrderNumber: "N", containerCode: "T1" };
const released = { ...attached, isAbandonedOrCancelled: true };

/** Begun on container T1, then cancelled as a whole by the ERP. */
function calledOff(): Floor {
  const floor = openFloor();
  floor.push(order);
  floor.event("attachWorkOrder", attached);
  floor.cancel({ workOrderNumber: "N" });
  return floor;
}
const scan = ({ database }: Floor) =>
  findWorkOrderByCode({
    ...{ database, answers: readyAnswers({ maxCount: 1, maxBytes: 1 }), notices: { of: changeNoticesIn(database) } },
    ...{ longTexts: longTextsIn(database), isSound: () => true },
  })({ Code: "N" });
const putWall = ({ database }: Floor, code = "D") =>
  findPutWallOrders({
    ...{ database, notices: { of: changeNoticesIn(database) } },
    ...{ longTexts: longTextsIn(database), isSound: () => true },
  })({ code });

const aside = refuse("WorkOrderDoesNotExist", say("orders.cancelled", { number: "N" }));
const nothingToSort = ok([], { message: say("orders.put-wall-cancelled", { code: "D" }) });
const cancelLine = (requestId: number, itemNumber: string) => ({
  workOrderNumber: "N",
  request: { requestId, itemNumber },
});

test("an order cancelled while it is being picked is still found, with a warning", () => {
  const floor = calledOff();
  expect(scan(floor)).toEqual(
    ok(new ReadyJson(text), { message: say("events.order-cancelled", { order: "N", goods: "" }) }),
  );
  const warned = ok(new ReadyJsonList([text]), { message: say("orders.put-wall-some-cancelled", { orders: "N" }) });
  expect(putWall(floor)).toEqual(warned);
  expect(putWall(floor, "t1")).toEqual(warned);
});

test("the warning names the cancelled orders of a batch only, and goes when the ERP wants the order again", () => {
  const floor = calledOff();
  floor.push({ ...order, number: "M" });
  expect(putWall(floor)).toMatchObject({ message: say("orders.put-wall-some-cancelled", { orders: "N" }) });
  floor.push(order);
  expect(scan(floor)).toEqual(ok(new ReadyJson(text)));
  expect(putWall(floor)).not.toHaveProperty("message");
});

test("a line that is cancelled does not make the order a cancelled one", () => {
  const floor = openFloor();
  floor.push(order);
  floor.event("attachWorkOrder", attached);
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  // A scan returns what is wanted now.
  expect(scan(floor)).toEqual(ok(new ReadyJson(JSON.stringify({ ...order, requests: [line("B", 5)] }))));
});

test("abandoned with something picked, it is cancelled, and the ERP gets its receipt", () => {
  const floor = calledOff();
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 3 }));
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Abandoned });
  expect(scan(floor)).toEqual(aside);
  expect(putWall(floor)).toEqual(nothingToSort);
  expect(floor.receipts("N")).toMatchObject([{ state: "partly", picked: 3 }]);
  expect(floor.ledgerLines("N")).toMatchObject([
    { item: "A", picked: 3, cancelled: 7 },
    { item: "B", picked: 0, cancelled: 5 },
  ]);
});

test.each(["T1", "T2"])("a release of container %s changes nothing about the order", (containerCode) => {
  const floor = calledOff();
  expect(floor.event("attachWorkOrder", { ...released, containerCode })).toEqual(ok(null));
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("a release of an order nobody has cancelled leaves it to be picked", () => {
  const floor = openFloor();
  floor.push(order);
  floor.event("attachWorkOrder", attached);
  floor.event("attachWorkOrder", released);
  expect(scan(floor)).toEqual(ok(new ReadyJson(text)));
});

test("once every line is cancelled or picked, it is cancelled and not finished", () => {
  const floor = calledOff();
  floor.event("cancelWorkOrderRequest", cancelLine(1, "A"));
  expect(floor.orders.find("N")?.state).toBe("started");
  floor.event("confirmStep", pick("N", 2, { requested: 5, remaining: 5, picked: 5 }, { itemNumber: "B" }));
  expect(scan(floor)).toEqual(aside);
  expect(putWall(floor, "T1")).toEqual(ok([], { message: say("orders.put-wall-cancelled", { code: "T1" }) }));
});

test("a step whose model alone shows that nothing is left ends it too", () => {
  const floor = calledOff();
  const shown = (isCancelled: boolean) => ({
    updateWorkOrderRequest: {
      itemRequests: [
        { requestId: 1, itemNumber: "A", requestedAmount: 10, isCancelled },
        { requestId: 2, itemNumber: "B", requestedAmount: 5, isCancelled },
      ],
    },
  });
  expect(updateOf(floor.event("confirmStep", pick("N", 1, { picked: 0 }, shown(false))))).not.toBeNull();
  expect(updateOf(floor.event("confirmStep", pick("N", 1, { picked: 0 }, shown(true))))).toBeNull();
  expect(floor.orders.find("N")?.state).toBe("cancelled");
  expect(floor.receipts("N")).toMatchObject([{ state: "applied", picked: 0 }]);
});

test.each(["Abandoned", "Completed", "CompletedWithCancelations", "Empty", "Canceled"] as const)(
  "the status %s ends it as cancelled",
  (status) => {
    const floor = calledOff();
    floor.event("changeStatus", { number: "N", status: WorkOrderStatus[status] });
    expect(scan(floor)).toEqual(aside);
    // Abandoned with nothing picked is as if nobody had begun: the platform may take the order again.
    expect(floor.receipts("N")).toMatchObject([{ state: status === "Abandoned" ? "pending" : "removed" }]);
  },
);

test("taken up again all the same, the cancellation is offered again, and picking to the end is told", () => {
  const floor = calledOff();
  floor.event("attachWorkOrder", released);
  expect(floor.event("attachWorkOrder", attached)).toMatchObject({
    message: say("events.order-cancelled", { order: "N", goods: "" }),
  });
  const updateWorkOrderRequest = {
    itemRequests: [
      { requestId: 1, itemNumber: "A", requestedAmount: 10 },
      { requestId: 2, itemNumber: "B", requestedAmount: 5 },
    ],
  };
  const all = pick("N", 1, { requested: 10, remaining: 10, picked: 10 }, { updateWorkOrderRequest });
  expect(updateOf(floor.event("confirmStep", all))?.itemRequests?.[1]).toMatchObject({ isCancelled: true });
  floor.event("confirmStep", pick("N", 2, { requested: 5, remaining: 5, picked: 5 }, { itemNumber: "B" }));
  expect(floor.receipts("N")).toMatchObject([{ state: "too-late", picked: 15 }]);
  expect(floor.orders.find("N")?.state).toBe("cancelled");
});

test("pushed again after that, what is wanted comes as a follow-up order without what was picked", () => {
  const floor = calledOff();
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 3 }));
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Abandoned });
  floor.push(order);
  const amounts = (number: string) =>
    floor.orders
      .find(number)
      ?.workOrder.requests.map(({ itemNumber, requestedAmount }) => [itemNumber, requestedAmount]);
  expect(amounts("N-F1")).toEqual([
    ["A", 7],
    ["B", 5],
  ]);
  // The same again, now with the follow-up order itself.
  floor.event("confirmStep", pick("N-F1", 3, { requested: 7, remaining: 7, picked: 2 }));
  floor.cancel({ workOrderNumber: "N" });
  floor.event("changeStatus", { number: "N-F1", status: WorkOrderStatus.Abandoned });
  floor.push({ ...order, description: "again" });
  expect(floor.orders.find("N-F1")?.state).toBe("cancelled");
  expect(amounts("N-F2")).toEqual([
    ["A", 5],
    ["B", 5],
  ]);
});

test("an order that was never pushed goes on with the lines that nothing was said about, though one line is cancelled", () => {
  const floor = openFloor();
  const model = {
    id: 1,
    itemRequests: [
      { requestId: 1, itemNumber: "A", externalIdentifier: "e1", requestedAmount: 5 },
      { requestId: 2, itemNumber: "B", externalIdentifier: "e2", requestedAmount: 4 },
    ],
  };
  const first = { requestExternalIdentifier: "e1", updateWorkOrderRequest: model };
  floor.event("confirmStep", pick("X", 1, { requested: 5, remaining: 5, picked: 1 }, first));
  floor.cancel({ workOrderNumber: "X", requestExternalIdentifier: "e1" });
  floor.event("changeStatus", { number: "X", status: WorkOrderStatus.Abandoned });
  expect(floor.ledgerLines("X")).toMatchObject([
    { item: "A", picked: 1 },
    { item: "B", requested: 4, cancelled: 0 },
  ]);
});

test("a scan of an order that was cancelled after its end says so, and what to put aside", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 2)] }));
  floor.event("confirmStep", pick("N", 1, { requested: 2, remaining: 2, picked: 2 }));
  expect(scan(floor)).toEqual(refuse("WorkOrderDoesNotExist", say("orders.finished", { number: "N" })));
  floor.cancel({ workOrderNumber: "N" });
  const cancelled = say("events.order-cancelled", { order: "N", goods: "A × 2" });
  expect(scan(floor)).toEqual(refuse("WorkOrderDoesNotExist", cancelled));
});
