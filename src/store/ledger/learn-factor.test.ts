import fc from "fast-check";
import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { UnitOfMeasure } from "../../contract/enums.ts";
import { learnFactor, uncertainFactor } from "./factor-memory.ts";

const metres = { unit: UnitOfMeasure.Meter, carried: null };

test("the factor is how many base units one unit of the line has", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (amount, factor) => {
      expect(learnFactor({ base: amount * factor, amounts: new Set([amount]), ...metres })).toBe(factor);
    }),
  );
});

test.each([
  ["not whole", 15, [10]],
  ["less than one", 5, [10]],
  ["not finite", 5, [0]],
])("a factor that is %s is not certain", (_, base, amounts) => {
  expect(learnFactor({ base, amounts: new Set(amounts), ...metres })).toBe(uncertainFactor);
});

test("two contents leave it in doubt: the platform may have fetched either", () => {
  expect(learnFactor({ base: 6000, amounts: new Set([6, 7]), ...metres })).toBe(uncertainFactor);
  expect(learnFactor({ base: 10_000, amounts: new Set([5, 10]), ...metres })).toBe(uncertainFactor);
});

test("a factor carried from other orders counts where it explains what is shown, and only there", () => {
  const lowered = { base: 5000, amounts: new Set([4, 5]), unit: UnitOfMeasure.Meter };
  expect(learnFactor({ ...lowered, carried: 1000 })).toBe(1000);
  expect(learnFactor({ ...lowered, carried: 500 })).toBe(uncertainFactor);
  expect(learnFactor({ base: 5000, amounts: new Set([5]), unit: UnitOfMeasure.Meter, carried: 500 })).toBe(
    uncertainFactor,
  );
});

test("pieces are counted one by one, whatever was served", () => {
  expect(learnFactor({ base: 2, amounts: new Set([4, 1]), unit: UnitOfMeasure.Piece, carried: null })).toBe(1);
});

/** A line of that many metres in an order of its own, shown in that many base units. */
function shownOnce(floor: Floor, number: string, amount: number, requested: number) {
  floor.push(workOrder({ number, requests: [line("A", amount, { unitOfMeasure: UnitOfMeasure.Meter })] }));
  floor.event("confirmStep", pick(number, 1, { requested, remaining: requested, picked: 1 }));
}
const strangerFactor = (floor: Floor, number: string) => {
  const other = { itemUnitOfMeasure: UnitOfMeasure.Meter };
  floor.event("confirmStep", pick(number, 2, { requested: 700, remaining: 700, picked: 1 }, other));
  return floor.ledgerLines(number)[0]?.["factor"];
};

test("a factor is carried to other orders once two different amounts have shown it", () => {
  const floor = openFloor();
  shownOnce(floor, "N", 3, 300);
  shownOnce(floor, "M", 3, 300);
  expect(strangerFactor(floor, "X")).toBe(uncertainFactor);
  shownOnce(floor, "O", 4, 400);
  expect(strangerFactor(floor, "Y")).toBe(100);
});

test("a line that contradicts a carried factor is in doubt, and nothing is carried any more", () => {
  const floor = openFloor();
  shownOnce(floor, "N", 3, 300);
  shownOnce(floor, "M", 4, 400);
  shownOnce(floor, "O", 2, 900);
  expect(floor.ledgerLines("O")).toMatchObject([{ factor: uncertainFactor }]);
  expect(strangerFactor(floor, "X")).toBe(uncertainFactor);
});
