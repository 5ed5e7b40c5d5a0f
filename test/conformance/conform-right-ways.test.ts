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

/** How many ways of writing one adapter has in the gate. */
const together = 4;

/**
 * Ways of writing that have nothing to do with each other, in one adapter: judging it takes longer than all else. Those
 * that change the same part stand beside each other in the list, and come into different adapters. What only the
 * contract permits is judged by itself.
 */
function combined(ways: readonly RightWay[]): readonly RightWay[] {
  const free = ways.filter(({ isContractOnly }) => isContractOnly !== true);
  const count = Math.ceil(free.length / together);
  const groups = Array.from({ length: count }, (_, nth) => free.filter((_way, index) => index % count === nth));
  return [
    ...groups.map(
      (group): RightWay => ({
        name: group.map(({ name }) => name).join(", and "),
        change: (right) => {
          const made: Partial<typeof right> = {};
          for (const { change } of group) Object.assign(made, change({ ...right, ...made }));
          return made;
        },
      }),
    ),
    ...ways.filter((way) => !free.includes(way)),
  ];
}

const writing = byForm({ gate: combined(rightWriting), long: rightWriting });
/** Everything includes the queries; by themselves they are asked of a third of the adapters. */
const asked = byForm({ gate: rightChoices.filter((_way, index) => index % 3 === 0), long: rightChoices });

describe("nothing is found, by everything, in an adapter that", () => {
  test.each([...writing, ...rightChoices])("$name", async (way) => {
    expect(await findings(way, "full")).toEqual([]);
  });
});

describe("nothing is found, by queries only, in an adapter that", () => {
  test.each(asked)("$name", async (way) => {
    expect(await findings(way, "read-only")).toEqual([]);
  });
});
