import { parseArgs } from "node:util";
import { play } from "../chaos/harness/play.ts";
import { amountOf, barOf, isReached, reportLine } from "../chaos/harness/scenario.ts";
import { type PlayedScenario, writeFigures } from "../chaos/harness/write-figures.ts";
import { scenarios } from "../chaos/scenarios.ts";
import { judgeSkips, type SkippedTest, skipRules } from "../test/peers/skips/judge-skips.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean" },
    full: { type: "boolean" },
    count: { type: "string" },
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
  --full         the sizes of the promises; so it is without --short
  --count N      so many faults in each scenario instead
  --seed N       the same random moments again
  --minutes N    time limit for each
  --write        write the figures into docs/measurements/reliability.md; those of other scenarios stay

${scenarios.map(({ name, summary }) => `  ${name.padEnd(longest)}  ${summary}`).join("\n")}`);
  process.exit(0);
}
/** Whether a given text is the name of a scenario, or the start of the names of a group, such as `cluster`. */
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
      ...(values.count === undefined ? {} : { count: Number(values.count) }),
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
    // Written after each scenario, so that an hour of power cuts is not lost if the next scenario is interrupted.
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
console.log("");
for (const { scenario, report, seconds } of played) console.log(reportLine(scenario.name, report, seconds));
console.log(`${played.length} played, ${failed} failed`);
// At once: what a failed scenario has left open would keep this process waiting.
process.exit(failed === 0 ? 0 : 1);
