import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
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

const tests: Step = {
  name: "tests",
  command: "vitest",
  args: [
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${testReport}`],
    // Reporters given here replace those of the configuration.
    "--reporter=./test/peers/skips/skip-reporter.ts",
    ...process.argv.slice(2),
  ],
};

// Without these variables the OpenAPI linter would look for updates and report usage over the network.
const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };

let passed = 0;
let failed = 0;
const waiting = [...staticSteps];
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runStaticSteps));
console.log(`\n# ${tests.name}`);
const status = await run(tests, "inherit").ended;
countTests();
note(tests, status);
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
