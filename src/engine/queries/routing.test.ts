import { expect, test } from "vitest";
import { ok } from "../../operation/outcome.ts";
import { routing } from "./routing.ts";

const own = { listWorkOrders: () => ok([]), getItem: () => ok({ number: "own" }) };
const erp = {
  getItem: () => ok({ number: "erp" }),
  confirmStep: () => ok({ updateWorkOrderRequest: null }),
  attachWorkOrder: () => ok(null),
};
const target = { name: "erp", connector: { operations: erp, returnsUpdates: true }, modes: {} };

test("a query goes to the connector bound to it, all others to the embedded store", () => {
  const { query } = routing({ queries: { operations: own }, bound: { getItem: { operations: erp } }, isBooked: true });
  expect([query("getItem"), query("listWorkOrders"), query("getReport")]).toEqual([
    erp.getItem,
    own.listWorkOrders,
    undefined,
  ]);
});

test("a query bound to a connector that does not offer it is not answered by another one instead", () => {
  const bound = { listWorkOrders: { operations: erp } };
  expect(routing({ queries: { operations: own }, bound, isBooked: true }).query("listWorkOrders")).toBeUndefined();
});

test("a target that cannot refuse is not asked whether a container is free", () => {
  const silent = { name: "files", connector: { operations: erp, neverRefuses: true }, modes: {} };
  const { event } = routing({ queries: { operations: own }, isBooked: true, target: silent });
  expect(event("attachWorkOrder")).toMatchObject({ target: "files", mode: "durable" });
});

test("a single event can go to its own target or to none, the others go to the default one", () => {
  const other = { name: "other", connector: { operations: erp }, modes: { attachWorkOrder: "durable" as const } };
  const { event } = routing({
    queries: { operations: own },
    isBooked: true,
    target,
    by: { attachWorkOrder: other, changeStatus: null },
  });
  expect(event("attachWorkOrder")).toMatchObject({ target: "other", mode: "durable" });
  expect(event("confirmStep")).toMatchObject({ target: "erp", mode: "direct-then-durable" });
  expect(event("changeStatus")).toBeNull();
  expect(event("relocateCartContainers")).toBeNull();
});
