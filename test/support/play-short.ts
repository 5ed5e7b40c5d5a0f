import { expect, test } from "vitest";
import { play } from "../../chaos/harness/play.ts";
import type { Scenario } from "../../chaos/harness/scenario.ts";

/** Always the same seed, so that a failure can be repeated. `npm run test:chaos` chooses another one each time. */
const seed = 20260101;

/** Defines a test for each scenario, in its short form. */
export function playShort(scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    test(`chaos, ${scenario.name}: ${scenario.summary}`, { timeout: 1_800_000 }, async ({ skip }) => {
      const played = await play(scenario, { form: "short", seed, say: () => {} });
      if ("skipped" in played) {
        console.log(`chaos, ${scenario.name}: skipped, ${played.skipped}`);
        return skip(played.skipped);
      }
      expect(played.faults.join("\n")).toBe("");
    });
  }
}
