import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workOrder } from "../../test/support/floor/embedded-store.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { operationIds, operationRow } from "../contract/operations.ts";
import { pushTopics } from "../contract/pushes.ts";
import { row, text } from "../kit/sqlite/row.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { ok } from "../operation/outcome.ts";
import { openProjection } from "./store-projection.ts";

function warehouse(options: unknown = {}) {
  const database = openDatabase(join(temporaryFolder(), "crossdock.db"));
  onTestFinished(() => database.close());
  const projection = openProjection(database, options);
  let seq = 0;
  const apply = (topic: string, payload: unknown, laterMs = 0) => {
    seq += 1;
    return projection.apply({ id: `evt_${seq}`, seq, topic, payload, receivedAt: 1_000 + seq + laterMs });
  };
  const stateOf = (number: string) =>
    database.query("SELECT state FROM work_order WHERE number = ?", row({ state: text })).get(number)?.state;
  const rollBack = (work: () => void) => {
    database.exec("BEGIN");
    work();
    database.exec("ROLLBACK");
    projection.forget?.();
  };
  return { database, apply, stateOf, rollBack };
}

const order = workOrder({ number: "N" });
const step = {
  workOrderNumber: "N",
  requestId: 7,
  itemNumber: "A-1",
  requestAmountInBaseUnitOfMeasure: 2,
  requestRemainingAmountInBaseUnitOfMeasure: 2,
  amountToConfirmPickingSummary: {
    locationName: "R1",
    containersBreakdown: [{ containerCode: "C", amountToConfirmInBaseUnitOfMeasure: 1 }],
  },
};

test("every push topic and every event of the contract is applied here", () => {
  const { apply } = warehouse();
  const payloads: Record<string, unknown> = {
    workOrders: order,
    cancellations: { workOrderNumber: "N" },
    items: { number: "A-1" },
    stock: { itemNumber: "A-1", amount: 1 },
    indexableValues: { workOrderNumber: "N", value: "T-7" },
    knownOrders: { numbers: ["F-1"] },
    confirmPutWallPlacement: { workOrderNumber: "N", itemNumber: "A-1", completedAmount: 1 },
    cancelPutWallItem: { workOrderNumber: "N", itemNumber: "A-1" },
    cancelWorkOrderRequest: { workOrderNumber: "N", request: { requestId: 7, itemNumber: "A-1" } },
    relocateCartContainers: [],
    attachWorkOrder: { workOrderNumber: "N", containerCode: "C" },
    changeStatus: { number: "N", status: 2 },
    confirmStep: step,
    confirmCartStep: { ...step, amountToConfirmSummary: step.amountToConfirmPickingSummary },
  };
  const events = operationIds.filter((id) => operationRow(id).kind === "event");
  for (const topic of [...pushTopics, "knownOrders", ...events]) {
    expect(apply(topic, payloads[topic]), topic).toMatchObject({ outcome: { ok: true } });
  }
});

test("an entry of a topic that nobody knows is a fault and not silence", () => {
  expect(() => warehouse().apply("gossip", {})).toThrow(/gossip/);
});

test("what was rolled back is not remembered: the same events do the same again", () => {
  const { apply, stateOf, rollBack, database } = warehouse();
  apply("workOrders", order);
  rollBack(() => apply("confirmStep", step));
  expect(stateOf("N")).toBe("waiting");
  apply("confirmStep", step);
  expect(stateOf("N")).toBe("started");
  expect(database.statement("SELECT item_number AS item, factor FROM quantity").all()).toEqual([
    { item: "A-1", factor: 1 },
  ]);
});

test("an order that comes after the floor has spoken of it is started by the next event", () => {
  const { apply, stateOf } = warehouse();
  apply("confirmStep", step);
  apply("workOrders", order);
  apply("confirmStep", { ...step, requestRemainingAmountInBaseUnitOfMeasure: 1 });
  expect(stateOf("N")).not.toBe("waiting");
});

test("a push is answered without data", () => {
  expect(warehouse().apply("workOrders", order)).toEqual({ outcome: ok(null), touched: true });
});

test("readers hear of what changes their answers and of nothing else", () => {
  const { apply } = warehouse();
  const touched = (topic: string, payload: unknown) => apply(topic, payload).touched;
  expect(touched("workOrders", order)).toBe(true);
  expect(touched("workOrders", order)).toBe(false);
  expect(touched("items", { number: "A-1" })).toBe(true);
  expect(touched("items", { number: "A-1" })).toBe(false);
  expect(touched("stock", { itemNumber: "A-1", amount: 1 })).toBe(false);
  expect(touched("knownOrders", { numbers: ["F-1"] })).toBe(false);
  expect(touched("confirmStep", step)).toBe(false);
  // A scan warns about the cancellation now, and stops warning when the order is wanted again.
  expect(touched("cancellations", { workOrderNumber: "N" })).toBe(true);
  expect(touched("workOrders", order)).toBe(true);
  expect(touched("changeStatus", { number: "N", status: 3 })).toBe(true);
});

test.each([
  ["an attachment", "attachWorkOrder", { workOrderNumber: "N", containerCode: "C" }],
  ["a step", "confirmStep", step],
  ["a put-wall amount", "confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "A-1", completedAmount: 1 }],
])("%s is a sign of work: the order no longer waits", (_sign, topic, payload) => {
  const { apply, stateOf } = warehouse();
  apply("workOrders", order);
  expect(stateOf("N")).toBe("waiting");
  apply(topic, payload);
  expect(stateOf("N")).toBe("started");
});

test("a cancellation removes a waiting order, and pushing the order again brings it back", () => {
  const { apply, stateOf } = warehouse();
  apply("workOrders", order);
  apply("cancellations", { workOrderNumber: "N" });
  expect(stateOf("N")).toBe("cancelled");
  apply("workOrders", order);
  expect(stateOf("N")).toBe("waiting");
});

test("an order brought back is not cancelled at the next step by what was pushed before", () => {
  const { apply } = warehouse();
  apply("workOrders", order);
  apply("cancellations", { workOrderNumber: "N" });
  apply("workOrders", order);
  const updateWorkOrderRequest = { id: 1, itemRequests: [{ requestId: 7, itemNumber: "A-1", requestedAmount: 2 }] };
  expect(apply("confirmStep", { ...step, updateWorkOrderRequest }).outcome).toEqual(
    ok({ updateWorkOrderRequest: null }),
  );
});

test("numbers of an imported file are known and not available", () => {
  const { apply, stateOf } = warehouse();
  apply("knownOrders", { numbers: ["F-1"] });
  expect(stateOf("F-1")).toBeUndefined();
  expect(apply("attachWorkOrder", { workOrderNumber: "F-1", containerCode: "C" }).outcome.ok).toBe(true);
  expect(apply("attachWorkOrder", { workOrderNumber: "F-2", containerCode: "D" }).outcome.ok).toBe(false);
});

test("what is rolled back leaves no trace, and applies again as if for the first time", () => {
  const { database, apply, stateOf } = warehouse();
  database.exec("BEGIN");
  const first = apply("workOrders", order);
  database.exec("ROLLBACK");
  expect(stateOf("N")).toBeUndefined();
  expect(apply("stock", { itemNumber: "A-1", amount: 1 }).touched).toBe(false);
  expect(apply("workOrders", order)).toEqual(first);
});

test("applied entries and their outcomes are plain data", () => {
  const { apply } = warehouse();
  apply("workOrders", order);
  for (const applied of [
    apply("confirmStep", step),
    apply("attachWorkOrder", { workOrderNumber: "?", containerCode: "C" }),
  ]) {
    expect(structuredClone(applied)).toEqual(applied);
  }
});

test("the receipt of a change goes out with the entry that settles it", () => {
  const { apply } = warehouse({ removedReceiptAfterMinutes: 0 });
  apply("workOrders", order);
  expect(apply("cancellations", { workOrderNumber: "N" })).toMatchObject({
    outcome: ok(null),
    emits: [{ topic: "changeReceipt", lanes: ["wo:N"], payload: { workOrderNumber: "N", receipt: "removed" } }],
  });
  expect(apply("items", { number: "A-1" })).not.toHaveProperty("emits");
});

test("a change to a waiting order is not called removed for good before the time is over", () => {
  const { apply } = warehouse({ removedReceiptAfterMinutes: 1 });
  apply("workOrders", order);
  expect(apply("cancellations", { workOrderNumber: "N" })).not.toHaveProperty("emits");
});

test("a receipt that was rolled back goes out with the same entry, done again", () => {
  const { apply, rollBack } = warehouse({ removedReceiptAfterMinutes: 1 });
  const anything = () => apply("items", { number: "A-1" }, 120_000);
  apply("workOrders", order);
  apply("cancellations", { workOrderNumber: "N" });
  rollBack(() => expect(anything()).toHaveProperty("emits"));
  expect(anything()).toHaveProperty("emits");
});
