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

test("a question goes to who is bound to it, all others to the embedded system", () => {
  const { ask } = routing({ asks: { operations: own }, bound: { getItem: { operations: erp } }, isBooked: true });
  expect([ask("getItem"), ask("listWorkOrders"), ask("getReport")]).toEqual([
    erp.getItem,
    own.listWorkOrders,
    undefined,
  ]);
});

test("a question bound to who does not offer it is answered by nobody, not by somebody else in silence", () => {
  const bound = { listWorkOrders: { operations: erp } };
  expect(routing({ asks: { operations: own }, bound, isBooked: true }).ask("listWorkOrders")).toBeUndefined();
});

test("a target that cannot say no is not asked whether a container is free", () => {
  const silent = { name: "files", connector: { operations: erp, neverRefuses: true }, modes: {} };
  const { tell } = routing({ asks: { operations: own }, isBooked: true, target: silent });
  expect(tell("attachWorkOrder")).toMatchObject({ target: "files", mode: "durable" });
});

test("a single event goes to a target of its own or to nobody, the others to the default one", () => {
  const other = { name: "other", connector: { operations: erp }, modes: { attachWorkOrder: "durable" as const } };
  const { tell } = routing({
    asks: { operations: own },
    isBooked: true,
    target,
    by: { attachWorkOrder: other, changeStatus: null },
  });
  expect(tell("attachWorkOrder")).toMatchObject({ target: "other", mode: "durable" });
  expect(tell("confirmStep")).toMatchObject({ target: "erp", mode: "direct-then-durable" });
  expect(tell("changeStatus")).toBeNull();
  expect(tell("relocateCartContainers")).toBeNull();
});
