import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm test -- [PATH …] [options of vitest]

The whole gate: generated files are up to date, OpenAPI rules, format and lint, types, the build of the package, dead
code, tests. Every step runs, even after a failed one; the exit code is 0 only if all passed.

  PATH …    only the tests whose path contains one of these; all the other steps run as well
  -t NAME   only the tests whose title matches

npm run fix corrects what can be corrected automatically.`);
  process.exit(0);
}

/** The whole gate. Every step runs even if an earlier one failed, so that one run shows all errors. */
const reportFolder = mkdtempSync(join(tmpdir(), "crossdock-check-"));
const testReport = join(reportFolder, "tests.json");

const steps: readonly { name: string; command: string; args: readonly string[] }[] = [
  { name: "generated files are fresh", command: "node", args: ["scripts/generate.ts", "--check"] },
  { name: "OpenAPI follows the usual rules", command: "redocly", args: ["lint", "docs/reference/openapi.json"] },
  { name: "format and lint", command: "biome", args: ["ci", "--error-on-warnings", "."] },
  { name: "types", command: "tsc", args: ["-p", "."] },
  { name: "types of the console", command: "tsc", args: ["-p", "console"] },
  // Only this step makes the declarations that users compile against; it can fail although all else is right.
  {
    name: "the package builds",
    command: "tsc",
    args: ["-p", "tsconfig.build.json", "--outDir", join(reportFolder, "dist")],
  },
  { name: "no dead code", command: "knip", args: [] },
  {
    name: "tests",
    command: "vitest",
    args: [
      ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${testReport}`],
      // Names given here replace those of the configuration.
      "--reporter=./test/peers/skip-reporter.ts",
      ...process.argv.slice(2),
    ],
  },
];

// Without these variables the OpenAPI linter would look for updates and report usage over the network.
const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };

let passed = 0;
let failed = 0;
for (const step of steps) {
  console.log(`\n# ${step.name}`);
  const { status } = spawnSync(step.command, step.args, { stdio: "inherit", shell: process.platform === "win32", env });
  if (step.name === "tests") countTests();
  // The exit code counts too: a test runner that crashes before its first test must not look green.
  if (status === 0) passed++;
  else failed++;
  if (status !== 0) console.log(`# failed: ${step.name}`);
}
rmSync(reportFolder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function countTests() {
  try {
    const report = JSON.parse(readFileSync(testReport, "utf8")) as { numPassedTests: number; numFailedTests: number };
    passed += report.numPassedTests;
    failed += report.numFailedTests;
  } catch (error) {
    failed++;
    console.log(`# no test report: ${String(error)}`);
  }
}
