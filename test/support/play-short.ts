import { expect, test } from "vitest";
import { play } from "../../chaos/harness/play.ts";
import type { Scenario } from "../../chaos/harness/scenario.ts";
import { byForm } from "./long-form.ts";

/** Always the same seeds, so that a failure can be repeated. `npm run test:chaos` chooses another one each time. */
const seeds = byForm({ gate: [20_260_101], long: [20_260_101, 20_260_102, 20_260_103] });

/** Defines a test for each scenario, in its short form. */
export function playShort(scenarios: readonly Scenario[]): void {
  for (const [scenario, seed] of scenarios.flatMap((one) => seeds.map((number) => [one, number] as const))) {
    const title = `chaos, ${scenario.name}: ${scenario.summary}${seeds.length === 1 ? "" : ` (seed ${seed})`}`;
    test(title, { timeout: 1_800_000 }, async ({ skip }) => {
      const played = await play(scenario, { form: "short", seed, say: () => {} });
      if ("skipped" in played) {
        console.log(`chaos, ${scenario.name}: skipped, ${played.skipped}`);
        return skip(played.skipped);
      }
      expect(played.faults.join("\n")).toBe("");
    });
  }
}
