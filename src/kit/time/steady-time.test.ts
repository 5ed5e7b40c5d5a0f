import fc from "fast-check";
import { expect, test } from "vitest";
import { manualClock } from "./clock.ts";
import { manualTimers, steadyTime } from "./timers.ts";

const minute = 60_000;

function setUp() {
  const clock = manualClock();
  const timers = manualTimers(clock);
  return { clock, timers, steady: steadyTime({ clock, timers }) };
}

test("without jumps, the clock and the time that has passed are the same", async () => {
  const { clock, timers, steady } = setUp();
  for (const ms of [0, 900, 5 * minute, 8 * 24 * 60 * minute]) {
    await timers.pass(ms);
    expect(steady.clockMs(15 * minute)).toBe(15 * minute);
    expect(steady.now()).toBe(clock.now());
  }
});

test("a jump counts as long as something before it is young enough", async () => {
  const { clock, timers, steady } = setUp();
  const before = clock.now();
  clock.advance({ minutes: 300 });
  expect(steady.clockMs(15 * minute)).toBe(315 * minute);
  expect(steady.now()).toBe(before);
  await timers.pass(14 * minute);
  expect(steady.clockMs(15 * minute)).toBe(315 * minute);
  expect(steady.clockMs(10 * minute)).toBe(10 * minute);
  await timers.pass(minute);
  expect(steady.clockMs(15 * minute)).toBe(15 * minute);
  expect(steady.now()).toBe(before + 15 * minute);
});

test("small corrections of the clock are no jumps", async () => {
  const { clock, timers, steady } = setUp();
  for (let nth = 0; nth < 100; nth++) {
    clock.advance({ ms: 500 });
    await timers.pass(minute);
    expect(steady.clockMs(15 * minute)).toBe(15 * minute);
  }
});

test("whatever the clock does, nothing young enough looks too old", async () => {
  const step = fc.record({ passMs: fc.nat(20 * minute), jumpMs: fc.integer({ min: -60 * minute, max: 60 * minute }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { clock, timers, steady } = setUp();
      const events: { at: number; passed: number }[] = [];
      for (const { passMs, jumpMs } of steps) {
        await timers.pass(passMs);
        if (Math.abs(jumpMs) > 1_000) clock.advance({ ms: jumpMs });
        const window = steady.clockMs(15 * minute);
        for (const { at, passed } of events) {
          if (timers.passed() - passed <= 15 * minute) expect(clock.now() - at).toBeLessThanOrEqual(window);
        }
        events.push({ at: clock.now(), passed: timers.passed() });
      }
    }),
    { numRuns: 200 },
  );
});
