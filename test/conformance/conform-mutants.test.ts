import { expect, onTestFinished, test } from "vitest";
import { systemTimers, type Timers } from "../../src/kit/time/timers.ts";
import { runConformance } from "../../src/tools/conformance/run-conformance.ts";
import type { Mutant } from "../mutants/mutant.ts";
import { mutantKey, startMutant } from "../mutants/right-adapter.ts";
import { wrongAnswers } from "../mutants/wrong-answers.ts";
import { wrongEnvelopes } from "../mutants/wrong-envelopes.ts";
import { wrongReading } from "../mutants/wrong-reading.ts";

const mutants: readonly Mutant[] = [...wrongEnvelopes, ...wrongReading, ...wrongAnswers];

/** What a push brings about is there at once; what never comes need not be waited for. */
const timers: Timers = { ...systemTimers, after: (_, run) => systemTimers.after(0, run) };

async function failedChecks({ change, by, isFull, seenIn }: Partial<Mutant>) {
  const { url, close } = await startMutant(change);
  onTestFinished(close);
  const group = by?.split(".")[0] ?? "";
  const report = await runConformance({
    url,
    level: isFull ? "full" : "read-only",
    apiKey: mutantKey,
    timers,
    // A mode is seen only where several endpoints refuse something.
    ...(by === undefined || group === "adapter" ? {} : { only: [group, ...(seenIn === undefined ? [] : [seenIn])] }),
    // A tenth, so that the late one need not be as late as the floor would notice.
    budgetFactor: by?.endsWith(".time-budget") ? 0.1 : 200,
  });
  return report.checks.filter(({ state }) => state === "failed").map(({ id }) => id);
}

test("there are at least 40 of them, each with a name of its own", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(40);
});

test("nothing is found in the right adapter they are made of, by queries only", async () => {
  expect(await failedChecks({})).toEqual([]);
});

test("nothing is found in the right adapter they are made of, by everything", async () => {
  expect(await failedChecks({ isFull: true })).toEqual([]);
});

test.each(mutants)("an adapter that $name is found out", async (mutant) => {
  expect(await failedChecks(mutant)).toContain(mutant.by);
});
