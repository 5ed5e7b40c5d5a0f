import fc from "fast-check";
import { expect, test } from "vitest";
import { type CallResult, circuitBreaker } from "./circuit-breaker.ts";
import { manualClock } from "./time/clock.ts";

const concurrency = 8;
const open = () => {
  const clock = manualClock();
  const breaker = circuitBreaker({ clock, concurrency });
  const hear = (...signs: CallResult[]) => signs.map((sign) => breaker.record(sign));
  return { clock, breaker, hear };
};
const troubles = (count: number): CallResult[] => Array.from({ length: count }, () => "trouble");

test("five failures in a row open it, and four do not", () => {
  const { breaker, hear } = open();
  hear(...troubles(4), "answer", ...troubles(4));
  expect(breaker.state()).toBe("closed");
  hear("trouble");
  expect(breaker.state()).toBe("open");
  expect(breaker.mayStart(0)).toBe(false);
});

test("it opens if more than half of the last twenty calls failed, not if exactly half did", () => {
  const { breaker, hear } = open();
  for (let i = 0; i < 10; i++) hear("answer", "trouble");
  expect(breaker.state()).toBe("closed");
  hear("trouble");
  expect(breaker.state()).toBe("open");
});

test("a probe is allowed after 5, then 10, then every 15 seconds, one at a time", () => {
  const { clock, breaker, hear } = open();
  hear(...troubles(5));
  for (const waitMs of [5000, 10_000, 15_000, 15_000]) {
    expect(breaker.waitMs()).toBe(waitMs);
    clock.advance({ ms: waitMs - 1 });
    expect(breaker.mayStart(0)).toBe(false);
    clock.advance({ ms: 1 });
    expect(breaker.mayStart(3)).toBe(true);
    breaker.started();
    expect(breaker.state()).toBe("half-open");
    expect(breaker.mayStart(0)).toBe(false);
    hear("trouble");
  }
});

test("the answer that ends an outage is reported, and deliveries start slowly", () => {
  const { clock, breaker, hear } = open();
  hear(...troubles(5));
  clock.advance({ seconds: 5 });
  breaker.started();
  expect(hear("answer")).toEqual([true]);
  const limits = [breaker.limit()];
  for (let i = 0; i < 15; i++) {
    hear("answer");
    limits.push(breaker.limit());
  }
  expect(limits).toEqual([1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8]);
});

test("a probe that says nothing about the target is followed by another at once", () => {
  const { clock, breaker, hear } = open();
  hear(...troubles(5));
  clock.advance({ seconds: 5 });
  breaker.started();
  hear("nothing");
  expect(breaker.mayStart(0)).toBe(true);
});

test("a target that says when to come back is probed then, and after an hour at the latest", () => {
  const { breaker } = open();
  breaker.record("trouble", 60_000);
  expect(breaker.waitMs()).toBe(60_000);
  const other = open().breaker;
  other.record("trouble", 1e12);
  expect(other.waitMs()).toBe(3_600_000);
});

test("whatever happens, a call is allowed again after an hour without calls", () => {
  const step = fc.oneof(
    fc.record({ sign: fc.constantFrom<CallResult>("answer", "trouble", "nothing"), retryAfterMs: fc.nat(10_000_000) }),
    fc.record({ jumpMs: fc.integer({ min: -1e11, max: 1e11 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, breaker } = open();
      let inFlight = 0;
      for (const one of steps) {
        if ("jumpMs" in one) clock.advance({ ms: one.jumpMs });
        else {
          if (breaker.mayStart(inFlight)) {
            breaker.started();
            inFlight++;
          }
          breaker.record(one.sign, one.retryAfterMs);
          inFlight = Math.max(0, inFlight - 1);
        }
        expect(breaker.limit()).toBeLessThanOrEqual(concurrency);
        expect(breaker.waitMs() ?? 0).toBeLessThanOrEqual(3_600_000);
      }
      if (breaker.state() === "half-open") breaker.record("trouble");
      expect(breaker.waitMs() ?? 0).toBeLessThanOrEqual(3_600_000);
      clock.advance({ minutes: 60 });
      expect(breaker.mayStart(0)).toBe(true);
    }),
  );
});
