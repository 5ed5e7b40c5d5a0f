import fc from "fast-check";
import { expect, test } from "vitest";
import { newId } from "./ids.ts";
import { manualClock } from "./time/clock.ts";

// Ids of one process never go back, so each test starts later than the previous one, and later than the clocks of other
// tests.
let start = Date.UTC(2150, 0, 1);
const laterClock = () => {
  start += 100_000_000;
  return manualClock(start);
};

test("an id is a UUID of version 7 that contains the time of its creation", () => {
  const clock = laterClock();
  const id = newId(clock);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(clock.now());
});

test("the random part comes from outside", () => {
  const clock = laterClock();
  expect(newId(clock, (bytes) => bytes.fill(0xff))).toMatch(/-77ff-bfff-ffffffffffff$/);
});

test("every id is greater than the one before, however many a millisecond has", () => {
  const clock = laterClock();
  const ids = Array.from({ length: 20_000 }, () => newId(clock));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test("every id is greater than the one before, also when the clock is set back", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 2, maxLength: 50 }), (steps) => {
      const clock = laterClock();
      const ids = steps.map((ms) => {
        clock.advance({ ms });
        return newId(clock);
      });
      expect(ids).toEqual([...ids].sort());
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});
