import fc from "fast-check";
import { expect, test } from "vitest";
import { longestDelayMs, retryPlan } from "./retry-plan.ts";

const hour = 3_600_000;
const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

test("the waits are 1 s, 5 s, 15 s, 1 m, 5 m, 15 m, 1 h, then hourly", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => retryPlan({ failures, random: () => 0.5 }) / 1000);
  expect(waits).toEqual([0, 1, 5, 15, 60, 300, 900, 3600, 3600, 3600]);
});

test("a wait is never more than a fifth off the plan", () => {
  fc.assert(
    fc.property(fc.nat(1000), random, (failures, value) => {
      const planned = retryPlan({ failures, random: () => 0.5 });
      const wait = retryPlan({ failures, random: () => value });
      expect(wait).toBeGreaterThanOrEqual(Math.floor(planned * 0.8));
      expect(wait).toBeLessThanOrEqual(Math.ceil(planned * 1.2));
    }),
  );
});

test("a wait that the target asks for is kept up to an hour, and no wait is longer than a timer allows", () => {
  const asked = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN, 1e300));
  fc.assert(
    fc.property(fc.integer(), random, asked, (failures, value, retryAfterMs) => {
      const wait = retryPlan({ failures, random: () => value, retryAfterMs });
      if (retryAfterMs > 0) expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfterMs, hour));
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(longestDelayMs);
      expect(wait).toBeLessThan(24 * hour);
    }),
  );
});
