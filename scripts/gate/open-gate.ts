import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { filesToRepeat, haveAllPassed, type TestReport } from "../../test/gate/files-to-repeat.ts";
import { unhandledVariable } from "../../test/gate/unhandled-reporter.ts";
import { forbiddenSkipsVariable } from "../../test/peers/skips/skip-reporter.ts";

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Runs steps and tests, prints what they say and counts them. Every one runs, so that one run shows all errors. */
export interface Gate {
  /** For what steps write. It is deleted at the end. */
  readonly folder: string;
  /**
   * Runs steps one after the other. They may run beside tests: they take only what these leave of the processor, which
   * is a fifth of it, because many tests wait.
   */
  readonly runSteps: (steps: readonly Step[]) => Promise<void>;
  /**
   * Runs tests. If very few files failed, these run once more, alone: most tests run real processes beside each other, and
   * what only a machine without a free core can break is a fault of the test. Its name is printed, so that it is mended.
   * An error outside of every test counts as a failure of the file that ran. Tests that somebody has chosen run once.
   */
  readonly runTests: (args: readonly string[], how: { readonly isChosen: boolean }) => Promise<void>;
  /** Prints the last line, and sets the exit code. */
  readonly end: () => void;
}

export function openGate(): Gate {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-check-"));
  const testReport = join(folder, "tests.json");
  const unhandledReport = join(folder, "unhandled.json");
  const skipReport = join(folder, "skips.json");
  const env = {
    ...process.env,
    // Without these variables the OpenAPI linter would look for updates and report usage over the network.
    ...{ REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" },
    ...{ [unhandledVariable]: unhandledReport, [forbiddenSkipsVariable]: skipReport },
  };
  let passed = 0;
  let failed = 0;
  let testsRun = 0;
  /** What failed steps have printed. Tests that run beside them print a thousand lines after it. */
  const failures: string[] = [];

  /** The exit code counts too: a test runner that crashes before its first test must not look green. */
  const note = ({ name }: Step, code: number | null, output = ""): void => {
    if (code === 0) passed++;
    else failed++;
    if (code !== 0) failures.push(`# failed: ${name}\n${output}`);
  };

  const run = ({ command, args }: Step, stdio: "inherit" | "pipe") => {
    const child = spawn(command, args, { stdio: ["ignore", stdio, stdio], shell: process.platform === "win32", env });
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
    };
    // Before it has started threads of its own: each of them has the priority of the one that started it.
    if (stdio === "pipe" && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
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
  };

  const countTests = (step: Step, status: number | null, report: TestReport | null): void => {
    passed += report?.numPassedTests ?? 0;
    failed += report?.numFailedTests ?? 1;
    testsRun += (report?.numPassedTests ?? 0) + (report?.numFailedTests ?? 0);
    note(step, status);
  };

  const playTests = async (step: Step) => {
    console.log(`\n# ${step.name}`);
    const status = await run(step, "inherit").ended;
    return {
      status,
      report: readReport<TestReport>(testReport),
      unhandled: readReport<readonly (string | null)[]>(unhandledReport),
      forbiddenSkips: readReport<readonly string[]>(skipReport),
    };
  };

  return {
    folder,
    runSteps: async (steps) => {
      for (const step of steps) {
        const { ended, output } = run(step, "pipe");
        const code = await ended;
        console.log(`\n# ${step.name}`);
        process.stdout.write(output());
        note(step, code, output());
      }
    },
    runTests: async (args, { isChosen }) => {
      const all = testStep("tests", args, testReport);
      const first = await playTests(all);
      const { report } = first;
      const repeated = filesToRepeat(first);
      if (first.status === 0 || report === null || repeated.length === 0 || isChosen) {
        return countTests(all, first.status, report);
      }
      const second = await playTests(testStep("failed tests, once more and alone", repeated, testReport));
      if (second.status !== 0 || second.report === null || !haveAllPassed(repeated, report, second.report)) {
        return countTests(all, first.status, report);
      }
      for (const name of repeated) console.log(`# passed only at the second try, alone: ${relative(".", name)}`);
      testsRun += report.numPassedTests + report.numFailedTests;
      passed += report.numPassedTests + report.numFailedTests;
      note(all, 0);
    },
    end: () => {
      rmSync(folder, { recursive: true, force: true });
      for (const failure of failures) console.log(`\n${failure.trimEnd()}`);
      console.log(`\n${lastLine({ passed, failed, testsRun })}`);
      process.exitCode = failed === 0 ? 0 : 1;
    },
  };
}

/** Steps count as well. Without a single test, their count would look as if tests had passed. */
export const lastLine = (counts: { readonly passed: number; readonly failed: number; readonly testsRun: number }) =>
  counts.testsRun === 0 && counts.failed === 0
    ? "no test ran: all were skipped"
    : `${counts.passed} passed, ${counts.failed} failed`;

const testStep = (name: string, args: readonly string[], report: string): Step => ({
  name,
  command: "vitest",
  args: [
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    // Reporters given here replace those of the configuration.
    ...["--reporter=./test/peers/skips/skip-reporter.ts", "--reporter=./test/gate/unhandled-reporter.ts"],
    ...args,
  ],
});

function readReport<Report>(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch (error) {
    console.log(`# no report of the tests: ${String(error)}`);
    return null;
  } finally {
    // A second run that writes none must not be judged by the first one's.
    rmSync(path, { force: true });
  }
}
