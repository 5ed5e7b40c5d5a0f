import { parseArgs } from "node:util";
import { checkSequences, playListed } from "../test/changes/check-sequences.ts";

const { values } = parseArgs({
  options: {
    sequences: { type: "string" },
    seed: { type: "string" },
    listed: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(`npm run test:model -- [options]

Plays random sequences of pushes and events against the embedded system and a reference model of order changes, and
compares every answer. A difference is made as small as it gets and printed as requests.

  --sequences N  so many (else 2000)
  --seed N       the same sequences again
  --listed       first the sequences that once went wrong`);
  process.exit(0);
}

const numRuns = Number(values.sequences ?? 2000);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
console.log(`${numRuns} sequences; --seed ${seed} plays the same again`);
const begun = process.hrtime.bigint();
const seconds = () => Number(process.hrtime.bigint() - begun) / 1e9;
const listed = values.listed ? await playListed() : undefined;
const checked =
  listed ??
  (await checkSequences({
    ...{ seed, numRuns },
    onProgress: (count) => {
      if (count % 1000 === 0) console.log(`  … ${count} played, ${seconds().toFixed(0)} s`);
    },
  }));
if (checked.failure !== undefined) console.log(`\n${checked.failure}\n`);
console.log(
  `seed ${checked.seed}: ${checked.sequences} sequences, ${checked.comparisons} comparisons, ` +
    `${checked.failure === undefined ? "no difference" : "a difference"}, ` +
    `${checked.withOpenQuestion} sequences compared in part, ${seconds().toFixed(0)} s`,
);
process.exitCode = checked.failure === undefined ? 0 : 1;
