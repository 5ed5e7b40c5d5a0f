import fc from "fast-check";
import { expect, test } from "vitest";
import { atPlace, type LineAmounts, placesOf, roundAmount } from "./ledger-line.ts";

const untouched: LineAmounts = {
  ...{ requested: 0, picked: 0, cancelled: 0, overPicked: 0, shortPicked: 0, steps: 0 },
  ...{ lastSteps: null, places: null },
};
const confirmed = fc.tuple(
  fc.string({ maxLength: 3 }),
  fc.integer({ min: 1, max: 1000 }).map((tenths) => tenths / 10),
);

test("each location has the sum of what was confirmed there, whatever it is called", () => {
  fc.assert(
    fc.property(fc.array(confirmed), (all) => {
      const line = all.reduce((before, [location, amount]) => atPlace(before, location, amount), untouched);
      const sums = new Map<string, number>();
      for (const [location, amount] of all) sums.set(location, roundAmount((sums.get(location) ?? 0) + amount));
      expect(new Map(placesOf(line.places))).toEqual(sums);
    }),
  );
});

test("names without end do not grow the ledger line without end, and no amount is lost", () => {
  let line = atPlace(untouched, "R1", 1);
  for (let step = 0; step < 300; step++) line = atPlace(line, `${step} ${"x".repeat(1000)}`, 1);
  line = atPlace(line, "R1", 1);
  expect(line.places?.length).toBeLessThan(2 ** 17);
  const places = placesOf(line.places);
  expect(places[0]).toEqual(["R1", 2]);
  expect(places.reduce((sum, [, amount]) => sum + amount, 0)).toBe(302);
});
