import { parseArgs } from "node:util";
import { playListed } from "../test/changes/sequences/check-sequences.ts";
import { surveySequences } from "../test/changes/sequences/survey-sequences.ts";

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "2000" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
    listed: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(`npm run test:model -- [options]

Runs random sequences of pushes and events against the embedded system and a reference model of order changes, and
compares every answer. A difference is shrunk to a minimal case and printed as requests; the run continues after it, and
differences of one kind are counted together.

  --sequences N  number of sequences (2000)
  --seed N       the same sequences again
  --from N       begins with that one of the seed (1): a long run can be played in parts
  --listed       first the sequences that once went wrong`);
  process.exit(0);
}

const begun = process.hrtime.bigint();
const seconds = () => Number(process.hrtime.bigint() - begun) / 1e9;

const listed = values.listed ? await playListed() : undefined;
if (listed?.failure !== undefined) {
  console.log(`\n${listed.failure}\n\na difference in a named sequence`);
  process.exit(1);
}

const numRuns = Number(values.sequences);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
console.log(`${numRuns} sequences; --seed ${seed} plays the same again`);
const survey = await surveySequences({
  ...{ seed, numRuns, from: Number(values.from) },
  onProgress: (played, differing) => {
    if (played % 1000 === 0)
      console.log(`  … ${played} played, ${differing} of them differ, ${seconds().toFixed(0)} s`);
  },
  onKind: ({ name, firstAt, sequence, requests }) => {
    console.log(`\nsequence ${firstAt} of seed ${seed}: ${name}\n${JSON.stringify(sequence)}\n${requests}\n`);
  },
});
for (const { name, count, firstAt } of survey.kinds.toSorted((one, other) => other.count - one.count)) {
  console.log(`${count} times, first in sequence ${firstAt}: ${name}`);
}
console.log(
  `seed ${seed}: ${survey.sequences} sequences from ${values.from} on, ${survey.comparisons} comparisons, ` +
    `${survey.differing === 0 ? "no difference" : `${survey.differing} with a difference`}, ` +
    `${survey.withOpenQuery} sequences compared in part, ${seconds().toFixed(0)} s`,
);
process.exitCode = survey.differing === 0 ? 0 : 1;
