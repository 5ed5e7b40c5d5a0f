import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { openFloor } from "../../../test/support/floor/floor.ts";
import { row, text } from "../../kit/sqlite/row.ts";
import { ok } from "../../operation/outcome.ts";

const move = (containerCode: string, destinationLocationName: string, number = "N") => ({
  containerCode,
  destinationLocationName,
  workOrder: { number, requests: [{ itemNumber: "A", requestedAmount: 2, completedAmount: 2 }] },
});

test("an empty list is a success", () => {
  expect(openFloor().event("relocateCartContainers", [])).toEqual(ok(null));
});

test("every element is recorded, gives its container a location and is a sign of work", () => {
  const floor = openFloor();
  for (const number of ["N", "M"]) floor.push(workOrder({ number }));
  expect(floor.event("relocateCartContainers", [move("T1", "L1"), move("T2", "L2", "M")])).toEqual(ok(null));
  const containers = floor.database.statement("SELECT code, location FROM container ORDER BY code").all();
  expect(containers.map((row) => ({ ...row }))).toEqual([
    { code: "T1", location: "L1" },
    { code: "T2", location: "L2" },
  ]);
  expect(["N", "M"].map((number) => floor.orders.find(number)?.state)).toEqual(["started", "started"]);
});

test("the same again is no second move, but coming back to an earlier place is", () => {
  const floor = openFloor();
  for (const place of ["L1", "L1", "L2", "L1"]) floor.event("relocateCartContainers", [move("T1", place)]);
  const moves = floor.database.query("SELECT location FROM relocation ORDER BY id", row({ location: text })).all();
  expect(moves.map(({ location }) => location)).toEqual(["L1", "L2", "L1"]);
});

test("a container moves on however its code is written", () => {
  const floor = openFloor();
  for (const [code, place] of [
    ["T1", "L1"],
    [" t1", "L1"],
    ["t1", "L2"],
  ] as const)
    floor.event("relocateCartContainers", [move(code, place)]);
  const containers = floor.database.statement("SELECT code, location FROM container").all();
  expect(containers.map((row) => ({ ...row }))).toEqual([{ code: "T1", location: "L2" }]);
  expect(floor.database.statement("SELECT container_code FROM relocation").all()).toHaveLength(2);
});

test("one blank container code refuses all, and every such element is named", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N" }));
  const outcome = floor.event("relocateCartContainers", [move(" ", "L1"), move("T1", "L1"), move("\t", "L1")]);
  expect(outcome).toMatchObject({
    result: "InvalidInput",
    problems: [{ values: { field: "[0].containerCode" } }, { values: { field: "[2].containerCode" } }],
  });
  expect(floor.orders.find("N")?.state).toBe("waiting");
  expect(floor.database.statement("SELECT code FROM container").all()).toEqual([]);
});

test("a moved container keeps the order it is attached to", () => {
  const floor = openFloor();
  floor.orders.remember(["N"]);
  floor.event("attachWorkOrder", { workOrderNumber: "N", containerCode: "T1" });
  floor.event("relocateCartContainers", [move("T1", "L1")]);
  expect(floor.event("attachWorkOrder", { workOrderNumber: "N", containerCode: "T2" })).toMatchObject({
    result: "WorkOrderAlreadyAttached",
  });
});
