import { describe, expect, onTestFinished, test } from "vitest";
import { systemTimers, type Timers } from "../../src/kit/time/timers.ts";
import { runConformance } from "../../src/tools/conformance/run-conformance.ts";
import { mutantKey, startMutant } from "../mutants/right-adapter.ts";
import { rightChoices } from "../mutants/right-choices.ts";
import type { RightWay } from "../mutants/right-way.ts";
import { rightWriting } from "../mutants/right-writing.ts";
import { byForm } from "../support/long-form.ts";

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

/**
 * Two ways of writing that have nothing to do with each other, in one adapter: judging it takes longer than all else.
 * What only the contract permits is judged by itself.
 */
function inPairs(ways: readonly RightWay[]): readonly RightWay[] {
  const free = ways.filter(({ isContractOnly }) => isContractOnly !== true);
  const half = Math.ceil(free.length / 2);
  const pairs = free.slice(0, half).map((one, index): RightWay => {
    const other = free[index + half];
    if (other === undefined) return one;
    return {
      name: `${one.name}, and ${other.name}`,
      change: (right) => {
        const first = one.change(right);
        return { ...first, ...other.change({ ...right, ...first }) };
      },
    };
  });
  return [...pairs, ...ways.filter((way) => !free.includes(way))];
}

const writing = byForm({ gate: inPairs(rightWriting), long: rightWriting });

describe("nothing is found, by everything, in an adapter that", () => {
  test.each([...writing, ...rightChoices])("$name", async (way) => {
    expect(await findings(way, "full")).toEqual([]);
  });
});

describe("nothing is found, by queries only, in an adapter that", () => {
  test.each(rightChoices)("$name", async (way) => {
    expect(await findings(way, "read-only")).toEqual([]);
  });
});
