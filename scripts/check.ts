import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { filesToRepeat, type TestReport } from "../test/gate/files-to-repeat.ts";
import { unhandledVariable } from "../test/gate/unhandled-reporter.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm test -- [PATH …] [options of vitest]

The whole gate: generated files are up to date, OpenAPI rules, format and lint, types, the build of the package, dead
code, tests. Every step runs, even after a failed one; the exit code is 0 only if all passed. If tests of one or two
files failed, or something failed while they ran, these run once more, alone, and what passes only then is named at the
end.

  PATH …    only the tests whose path contains one of these; all the other steps run as well
  -t NAME   only the tests whose title matches

npm run fix corrects what can be corrected automatically.`);
  process.exit(0);
}

/** The whole gate. Every step runs even if an earlier one failed, so that one run shows all errors. */
const reportFolder = mkdtempSync(join(tmpdir(), "crossdock-check-"));
const testReport = join(reportFolder, "tests.json");
const unhandledReport = join(reportFolder, "unhandled.json");

interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Most of these steps use one core. As many run at the same time as there are cores, the longest first. */
const staticSteps: readonly Step[] = [
  { name: "format and lint", command: "biome", args: ["ci", "--error-on-warnings", "."] },
  { name: "types", command: "tsc", args: ["-p", "."] },
  // Only this step makes the declarations that users compile against. It can fail although everything else is right.
  {
    name: "the package builds",
    command: "tsc",
    args: ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", join(reportFolder, "dist")],
  },
  { name: "types of the console", command: "tsc", args: ["-p", "console"] },
  { name: "no dead code", command: "knip", args: [] },
  { name: "generated files are fresh", command: "node", args: ["scripts/generate.ts", "--check"] },
  { name: "OpenAPI follows the usual rules", command: "redocly", args: ["lint", "docs/reference/openapi.json"] },
];

const runTests = (name: string, chosen: readonly string[]): Step => ({
  name,
  command: "vitest",
  args: [
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${testReport}`],
    // Reporters given here replace those of the configuration.
    ...["--reporter=./test/peers/skips/skip-reporter.ts", "--reporter=./test/gate/unhandled-reporter.ts"],
    ...chosen,
  ],
});

const env = {
  ...process.env,
  // Without these variables the OpenAPI linter would look for updates and report usage over the network.
  ...{ REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" },
  [unhandledVariable]: unhandledReport,
};

let passed = 0;
let failed = 0;
const waiting = [...staticSteps];
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runStaticSteps));
await checkTests();
rmSync(reportFolder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runStaticSteps(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const { ended, output } = run(step, "pipe");
    const code = await ended;
    console.log(`\n# ${step.name}`);
    process.stdout.write(output());
    note(step, code);
  }
}

/**
 * Records the result. The exit code counts too: a test runner that crashes before its first test must not look green.
 */
function note({ name }: Step, code: number | null): void {
  if (code === 0) passed++;
  else failed++;
  if (code !== 0) console.log(`# failed: ${name}`);
}

function run({ command, args }: Step, stdio: "inherit" | "pipe") {
  const child = spawn(command, args, { stdio: ["ignore", stdio, stdio], shell: process.platform === "win32", env });
  let output = "";
  const read = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout?.on("data", read);
  child.stderr?.on("data", read);
  const ended = new Promise<number | null>((done) => {
    child.once("error", (error) => {
      output += `${String(error)}\n`;
      done(null);
    });
    child.once("close", done);
  });
  return { ended, output: () => output };
}

/**
 * Runs the tests. If very few files failed, these run once more, alone: most tests run real processes beside each other,
 * and what only a machine without a free core can break is a fault of the test. Its name is printed, so that it is mended.
 * An error outside of every test counts as a failure of the file that ran.
 */
async function checkTests(): Promise<void> {
  const given = process.argv.slice(2);
  const all = runTests("tests", given);
  console.log(`\n# ${all.name}`);
  const status = await run(all, "inherit").ended;
  const report = readReport<TestReport>(testReport);
  const unhandled = readReport<readonly (string | null)[]>(unhandledReport);
  const failedFiles = report === null || unhandled === null ? [] : filesToRepeat(report, unhandled);
  // Whoever chooses tests wants to see how they end.
  if (status === 0 || report === null || failedFiles.length === 0 || given.length > 0)
    return countTests(all, status, report);
  const again = runTests("failed tests, once more and alone", failedFiles);
  console.log(`\n# ${again.name}`);
  const secondStatus = await run(again, "inherit").ended;
  const second = readReport<TestReport>(testReport);
  if (secondStatus !== 0 || second === null || second.numPassedTests === 0) return countTests(all, status, report);
  for (const name of failedFiles) console.log(`# passed only at the second try, alone: ${relative(".", name)}`);
  const { numPassedTests, numFailedTests } = report;
  countTests(all, 0, { numPassedTests: numPassedTests + numFailedTests, numFailedTests: 0 });
}

function countTests(step: Step, status: number | null, report: Omit<TestReport, "testResults"> | null): void {
  passed += report?.numPassedTests ?? 0;
  failed += report?.numFailedTests ?? 1;
  note(step, status);
}

function readReport<Report>(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch (error) {
    console.log(`# no test report: ${String(error)}`);
    return null;
  } finally {
    // A second run that writes none must not be judged by the first one's.
    rmSync(path, { force: true });
  }
}
