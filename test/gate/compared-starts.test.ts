import fc from "fast-check";
import { expect, test } from "vitest";
import { comparedStarts, median } from "../../bench/harness/median.ts";

const value = fc.double({ min: 1, max: 1_000, noNaN: true });
const starts = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 6 })).chain(([count, rounds]) => {
  const side = fc.array(fc.array(value, { minLength: rounds, maxLength: rounds }), {
    ...{ minLength: count, maxLength: count },
  });
  return fc.tuple(side, side);
});

test("the median of an even number of values is the mean of the two in the middle", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

test("two programs are never both slower than the other", () => {
  fc.assert(
    fc.property(starts, ([ours, bare]) => {
      const there = comparedStarts(ours, bare).pairedRatio;
      const back = comparedStarts(bare, ours).pairedRatio;
      expect(there * back).toBeGreaterThanOrEqual(1 - 1e-9);
    }),
  );
});
