import { afterAll, expect, test } from "vitest";
import { byForm } from "../../support/long-form.ts";
import { printRequests } from "../play/print-requests.ts";
import { checkSequences, namedSequences, playListed, worldsInTurn } from "../sequences/check-sequences.ts";
import { runSequence } from "../sequences/run-sequence.ts";

const worlds = worldsInTurn();
afterAll(worlds.close);

test.each(namedSequences)("$name", async (sequence) => {
  const { world, name } = await worlds.next();
  const { played, differences } = await runSequence(world, sequence, name);
  // As an error and not as a comparison: the requests are to be read line by line.
  if (differences.length > 0) throw new Error(printRequests(played, differences));
});

test.each(namedSequences)("the reference model alone: $name", async (sequence) => {
  const { reached } = await runSequence(undefined, sequence, "model");
  expect(reached).toMatchObject(sequence.right);
});

test("what is rolled back is not remembered: the named sequences end the same", { timeout: 600_000 }, async () => {
  expect((await playListed({ isUndoneFirst: true }))?.failure).toBeUndefined();
});

test("… and so do random ones", { timeout: 600_000 }, async () => {
  const { failure } = await checkSequences({
    seed: 7,
    numRuns: byForm({ gate: 60, long: 200 }),
    options: { isUndoneFirst: true },
  });
  expect(failure).toBeUndefined();
});

const seeds = [20_261_115, ...(process.env["CROSSDOCK_MODEL_SEED"] ?? "").split(",").filter(Boolean).map(Number)];

test.each(seeds)("random sequences end as the reference model says, seed %i", { timeout: 600_000 }, async (seed) => {
  const numRuns = byForm({ gate: 600, long: 2_000 });
  const { failure, sequences } = await checkSequences({ seed, numRuns });
  if (failure !== undefined) throw new Error(failure);
  expect(sequences).toBeGreaterThanOrEqual(numRuns);
});
