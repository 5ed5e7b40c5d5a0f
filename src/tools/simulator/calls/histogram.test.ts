import fc from "fast-check";
import { expect, test } from "vitest";
import { openHistogram } from "./call-tally.ts";

test("a percentile is never below the true one and at most 5 % above it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.05, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (times, share) => {
        const histogram = openHistogram();
        for (const time of times) histogram.add(time);
        const exact = times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0;
        const found = histogram.percentileMs(share);
        expect(found).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
        expect(found).toBeLessThanOrEqual(exact * 1.0501);
      },
    ),
  );
});

test("what was counted and cleared is gone", () => {
  const histogram = openHistogram();
  histogram.add(5);
  histogram.clear();
  expect([histogram.count(), histogram.mostMs(), histogram.percentileMs(0.99)]).toEqual([0, 0, 0]);
});
