import { expect, test } from "vitest";
import { secretMatcher } from "./sender-check.ts";

test("every secret of the list fits, and nothing else does", () => {
  const matches = secretMatcher(["first-key", "second-key"]);
  expect(["first-key", "second-key"].map(matches)).toEqual([true, true]);
  expect(["", "first-ke", "first-key ", "First-key", "third-key"].map(matches)).toEqual(Array(5).fill(false));
});

// Other work on the machine may slow down one side only, so a failed measurement is repeated. A comparison that leaks
// anything exceeds the bound by a factor of hundreds every time.
const again = { retry: 3 };
test(
  "how long it takes does not tell how much of a key was right: |t| < 4.5 over 100,000 samples of each",
  again,
  () => {
    const key = "cd_9dWm1Yc0QqKkTz5t3vXyAbCdEfGhIjKl";
    const matches = secretMatcher([key, "another-key-0123456789"]);
    const given = [`${key.slice(0, -1)}!`, `!${key.slice(1)}`] as const;
    const samples: [number[], number[]] = [[], []];
    let state = 1;
    for (let count = 0; count < 220_000; count++) {
      // A pseudo-random order, so that no periodic work on the machine can hit one side only.
      state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
      const side = ((state >> 16) & 1) as 0 | 1;
      const begun = process.hrtime.bigint();
      matches(given[side]);
      const ns = Number(process.hrtime.bigint() - begun);
      if (count >= 20_000) samples[side].push(ns);
    }
    const all = samples.flat().sort((a, b) => a - b);
    // Removes interruptions by other programs: the slowest tenth of all samples is left out on both sides.
    const cut = all[Math.floor(all.length * 0.9)] ?? Number.POSITIVE_INFINITY;
    const [early, late] = samples.map((side) => statisticsOf(side.filter((ns) => ns <= cut)));
    expect(Math.min(...samples.map((side) => side.length))).toBeGreaterThan(95_000);
    if (early === undefined || late === undefined) throw new Error("nothing was measured");
    const t = (early.mean - late.mean) / Math.sqrt(early.variance / early.count + late.variance / late.count);
    expect(Math.abs(t)).toBeLessThan(4.5);
  },
);

function statisticsOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance, count: values.length };
}
