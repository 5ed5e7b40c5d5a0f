import fc from "fast-check";
import { expect, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { rateLimit } from "./target-line.ts";

test("in any period there are at most as many permits as the rate allows, plus those of one second", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.integer({ min: -500, max: 2000 }), { maxLength: 100 }),
      (perSecond, steps) => {
        const clock = manualClock();
        const limit = rateLimit({ clock, perSecond });
        let taken = 0;
        let passedMs = 0;
        for (const ms of steps) {
          clock.advance({ ms });
          passedMs += Math.max(0, ms);
          for (let i = 0; i < 300 && limit.take(); i++) taken++;
        }
        expect(taken).toBeLessThanOrEqual((passedMs / 1000) * perSecond + perSecond + 1e-3);
      },
    ),
  );
});

test("after the wait it names there is a permit", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 500, noNaN: true }), (perSecond) => {
      const clock = manualClock();
      const limit = rateLimit({ clock, perSecond });
      while (limit.take());
      clock.advance({ ms: limit.waitMs() });
      expect(limit.take()).toBe(true);
    }),
  );
});
