import fc from "fast-check";
import { expect, test } from "vitest";
import { workOrder } from "../../../../test/support/embedded-store.ts";
import { line, openFloor, pick } from "../../../../test/support/floor.ts";
import { UnitOfMeasure } from "../../../contract/enums.ts";
import { learnFactor, uncertainFactor } from "./learn-factor.ts";

const metres = { unit: UnitOfMeasure.Meter, remembered: null };

test("the factor is how many base units one unit of the line has", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (amount, factor) => {
      expect(learnFactor({ base: amount * factor, amounts: [amount], ...metres })).toBe(factor);
    }),
  );
});

test.each([
  ["not whole", 15, [10]],
  ["less than one", 5, [10]],
  ["not finite", 5, [0]],
])("a factor that is %s is not certain", (_, base, amounts) => {
  expect(learnFactor({ base, amounts, ...metres })).toBe(uncertainFactor);
});

test("a line whose amount was lowered while it waited may have been fetched before or after", () => {
  expect(learnFactor({ base: 6000, amounts: [6, 7], ...metres })).toBe(1000);
  expect(learnFactor({ base: 5000, amounts: [4, 5], unit: UnitOfMeasure.Meter, remembered: 1000 })).toBe(1000);
});

test("two possible factors are none, unless the item has taught one of them before or pieces are counted", () => {
  const either = { base: 10_000, amounts: [5, 10] };
  expect(learnFactor({ ...either, ...metres })).toBe(uncertainFactor);
  expect(learnFactor({ ...either, unit: UnitOfMeasure.Meter, remembered: 2000 })).toBe(2000);
  expect(learnFactor({ ...either, unit: UnitOfMeasure.Meter, remembered: 500 })).toBe(uncertainFactor);
  expect(learnFactor({ base: 10, amounts: [5, 10], unit: UnitOfMeasure.Piece, remembered: null })).toBe(1);
});

test("an item remembers its factor for lines that tell nothing themselves", () => {
  const floor = openFloor();
  const unit = { unitOfMeasure: UnitOfMeasure.Meter };
  floor.push(workOrder({ number: "N", requests: [line("A", 3, unit)] }));
  floor.tell("confirmStep", pick("N", 1, { requested: 300, remaining: 300, picked: 1 }));
  const other = { itemUnitOfMeasure: UnitOfMeasure.Meter };
  floor.tell("confirmStep", pick("not ours", 2, { requested: 700, remaining: 700, picked: 1 }, other));
  floor.tell(
    "confirmStep",
    pick("not ours", 3, { requested: 7, remaining: 7, picked: 1 }, { ...other, itemNumber: "B" }),
  );
  expect(floor.accounts("not ours").map(({ factor }) => factor)).toEqual([100, uncertainFactor]);
});
