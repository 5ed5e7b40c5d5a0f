import { expect, test } from "vitest";
import { workOrder } from "../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../test/support/floor/floor.ts";
import { UnitOfMeasure } from "../contract/enums.ts";
import { ownWorkIn } from "./read-own-work.ts";

test("an order of which nothing is picked has no work of ours", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  expect(ownWorkIn(floor.database)("N")).toBeNull();
  expect(ownWorkIn(floor.database)("unknown")).toBeNull();
});

test("what is picked is counted over the order and its follow-up orders", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 5, picked: 2 }));
  floor.push(workOrder({ number: "N", requests: [line("A", 8)] }));
  floor.event("confirmStep", pick("N", 7, { requested: 5, remaining: 3, picked: 3 }));
  floor.event("confirmStep", pick("N-F1", 8, { requested: 3, remaining: 3, picked: 1 }));
  expect(ownWorkIn(floor.database)("N")).toMatchObject({
    orders: ["N", "N-F1"],
    lines: [{ itemNumber: "A", picked: 6, request: { itemNumber: "A" } }],
  });
});

test("amounts in the platform's base unit are told in the line's own unit", () => {
  const floor = openFloor();
  const metres = { ...line("A", 7), unitOfMeasure: UnitOfMeasure.Meter };
  floor.push(workOrder({ number: "N", requests: [metres] }));
  floor.event("confirmStep", pick("N", 7, { requested: 7000, remaining: 7000, picked: 2000 }));
  expect(ownWorkIn(floor.database)("N")?.lines).toMatchObject([{ itemNumber: "A", picked: 2 }]);
});
