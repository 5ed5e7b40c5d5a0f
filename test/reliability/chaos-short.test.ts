import { expect, test } from "vitest";
import { play } from "../../chaos/harness/play.ts";
import { scenarios } from "../../chaos/scenarios.ts";

/** Always the same moments, so that a failure comes again; `npm run test:chaos` chooses others each time. */
const seed = 20260101;

/** Minutes of power cuts until a wrong build is caught: `npm run test:chaos -- mutants` plays them. */
const inTheLongFormOnly = new Set(["mutants"]);

for (const scenario of scenarios.filter(({ name }) => !inTheLongFormOnly.has(name))) {
  test(`chaos, ${scenario.name}: ${scenario.summary}`, { timeout: 1_800_000 }, async ({ skip }) => {
    const played = await play(scenario, { form: "short", seed, say: () => {} });
    if ("skipped" in played) {
      console.log(`chaos, ${scenario.name}: skipped, ${played.skipped}`);
      return skip(played.skipped);
    }
    expect(played.faults).toEqual([]);
  });
}
