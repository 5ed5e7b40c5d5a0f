import { parseArgs } from "node:util";
import { play } from "../chaos/harness/play.ts";
import { amountOf, barOf, isReached } from "../chaos/harness/scenario.ts";
import { type PlayedScenario, writeFigures } from "../chaos/harness/write-figures.ts";
import { scenarios } from "../chaos/scenarios.ts";
import { judgeSkips, type SkippedTest, skipRules } from "../test/peers/judge-skips.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean" },
    write: { type: "boolean" },
    seed: { type: "string" },
    minutes: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  const longest = Math.max(...scenarios.map(({ name }) => name.length));
  console.log(`npm run test:chaos -- [SCENARIO or beginning of several …] [options]

Causes faults and checks the guarantees of docs/explanation/reliability.md. Without names it runs all scenarios in full,
which takes hours.

  --short        small sizes, as npm test runs them
  --seed N       the same random moments again
  --minutes N    time limit for each
  --write        write the figures into docs/measurements/reliability.md; those of other scenarios stay

${scenarios.map(({ name, summary }) => `  ${name.padEnd(longest)}  ${summary}`).join("\n")}`);
  process.exit(0);
}
/** A name, or what the names of a group begin with: `cluster`. */
const isMeant = (given: string, name: string) => name === given || name.startsWith(`${given}-`);
const unknown = positionals.filter((given) => !scenarios.some(({ name }) => isMeant(given, name)));
if (unknown.length > 0) {
  console.error(
    `There is no scenario ${unknown.join(", ")}. There are: ${scenarios.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}

const form = values.short ? "short" : "full";
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
console.log(`${form} form; --seed ${seed} chooses the same moments again`);

let clear: (() => Promise<void>) | null = null;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    console.log("\nstopped; cleaning up");
    await clear?.();
    process.exit(130);
  });
}

const played: PlayedScenario[] = [];
const skipped: SkippedTest[] = [];
let failed = 0;
for (const scenario of scenarios.filter(
  ({ name }) => positionals.length === 0 || positionals.some((given) => isMeant(given, name)),
)) {
  console.log(`\n# ${scenario.name}: ${scenario.summary}`);
  try {
    const say = (text: string) => console.log(`  … ${text}`);
    const result = await play(scenario, {
      form,
      seed,
      say,
      ...(values.minutes === undefined ? {} : { withinS: Number(values.minutes) * 60 }),
      onOpen: (undo) => {
        clear = undo;
      },
    });
    if ("skipped" in result) {
      console.log(`  skipped: ${result.skipped}`);
      skipped.push({ name: scenario.name, reason: result.skipped });
      continue;
    }
    const { report, faults, seconds } = result;
    for (const figure of report.figures) {
      const mark = figure.bar === undefined ? "" : isReached(figure) ? "reached" : "MISSED";
      console.log(
        `  ${figure.what.padEnd(48)} ${amountOf(figure).padStart(12)}  ${barOf(figure).padStart(12)}  ${mark}`,
      );
    }
    for (const violation of report.violations) console.log(`  BROKEN: ${violation}`);
    console.log(`  ${faults.length === 0 ? "holds" : "does not hold"}, ${seconds.toFixed(0)} s`);
    if (faults.length > 0) failed++;
    played.push({ scenario, form, report, faults, seconds });
    // After each scenario: an hour of power cuts must not be lost because the next scenario was interrupted.
    if (values.write) writeFigures(played, scenarios);
  } catch (error) {
    failed++;
    console.log(`  could not be completed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
for (const problem of judgeSkips(skipped, skipRules())) {
  failed++;
  console.log(problem);
}
console.log(`\n${played.length} played, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
