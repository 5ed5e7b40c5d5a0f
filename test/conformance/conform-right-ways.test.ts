import { describe, expect, onTestFinished, test } from "vitest";
import { systemTimers, type Timers } from "../../src/kit/time/timers.ts";
import { runConformance } from "../../src/tools/conformance/run-conformance.ts";
import { mutantKey, startMutant } from "../mutants/right-adapter.ts";
import { rightChoices } from "../mutants/right-choices.ts";
import type { RightWay } from "../mutants/right-way.ts";
import { rightWriting } from "../mutants/right-writing.ts";

/** What a push brings about is there at once; what never comes need not be waited for. */
const timers: Timers = { ...systemTimers, after: (_, run) => systemTimers.after(0, run) };

async function findings({ change, only, isContractOnly }: RightWay, level: "read-only" | "full"): Promise<string[]> {
  const { url, close } = await startMutant(change);
  onTestFinished(close);
  const limits = only === undefined ? {} : { only };
  // This machine may be busy with other tests.
  const budgetFactor = 200;
  const run = {
    url,
    level,
    apiKey: mutantKey,
    timers,
    budgetFactor,
    isContractOnly: isContractOnly === true,
    ...limits,
  };
  const { checks } = await runConformance(run);
  return checks.flatMap(({ id, findings: [first] }) => (first === undefined ? [] : [`${id}: ${first.expected}`]));
}

describe("nothing is found, by everything, in an adapter that", () => {
  test.each([...rightWriting, ...rightChoices])("$name", async (way) => {
    expect(await findings(way, "full")).toEqual([]);
  });
});

describe("nothing is found, by queries only, in an adapter that", () => {
  test.each(rightChoices)("$name", async (way) => {
    expect(await findings(way, "read-only")).toEqual([]);
  });
});
