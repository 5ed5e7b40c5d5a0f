import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lastLine } from "../../scripts/gate/open-gate.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { filesToRepeat, haveAllPassed } from "./files-to-repeat.ts";
import UnhandledReporter, { unhandledVariable } from "./unhandled-reporter.ts";

const reportOf = (files: Readonly<Record<string, string>>) => ({
  ...{ numPassedTests: 1, numFailedTests: 0 },
  testResults: Object.entries(files).map(([name, status]) => ({ name, status, assertionResults: [{ status }] })),
});
const runOf = (files: Readonly<Record<string, string>>, unhandled: readonly (string | null)[]) => ({
  ...{ report: reportOf(files), unhandled, forbiddenSkips: [] },
});

test.each([
  ["a failed test", { a: "failed", b: "passed" }, [], ["a"]],
  ["an error outside of every test", { a: "passed", b: "passed" }, ["b"], ["b"]],
  ["both in one file", { a: "failed" }, ["a", "a"], ["a"]],
  ["both in two files", { a: "failed", b: "passed" }, ["b"], ["a", "b"]],
])("the file with %s runs once more", (_what, files, unhandled, repeated) => {
  expect(filesToRepeat(runOf(files, unhandled))).toEqual(repeated);
});

test.each([
  ["three files failed", { a: "failed", b: "failed", c: "passed" }, ["c"]],
  ["an error belongs to no file", { a: "failed" }, [null]],
  ["nothing failed, as after a test that was left out", { a: "passed" }, []],
])("no file runs once more if %s", (_what, files, unhandled) => {
  expect(filesToRepeat(runOf(files, unhandled))).toEqual([]);
});

test("no file runs once more if a skipped test made the run fail too, or if the run ended before its reports", () => {
  const failed = runOf({ a: "failed" }, []);
  expect(filesToRepeat(failed)).toEqual(["a"]);
  const skipped = "skipped, although nothing may be: chaos, failing-sync: strace is missing";
  expect(filesToRepeat({ ...failed, forbiddenSkips: [skipped] })).toEqual([]);
  expect(filesToRepeat({ ...failed, forbiddenSkips: null })).toEqual([]);
  expect(filesToRepeat({ ...failed, unhandled: null })).toEqual([]);
  expect(filesToRepeat({ ...failed, report: null })).toEqual([]);
});

test.each([
  ["passed", ["passed", "failed"], ["passed", "passed"], true],
  ["failed again", ["passed", "failed"], ["passed", "failed"], false],
  ["was skipped", ["passed", "failed"], ["passed", "skipped"], false],
  ["was skipped before as well", ["skipped", "failed"], ["skipped", "passed"], true],
  ["could not be read at the first try", [], ["passed"], true],
  ["could not be read again", [], [], false],
])("of a repeated file with a test that %s, all have passed: %#", (_what, first, second, isPassed) => {
  const withTests = (states: readonly string[]) => ({
    ...reportOf({}),
    testResults: [{ name: "a", status: "failed", assertionResults: states.map((status) => ({ status })) }],
  });
  expect(haveAllPassed(["a"], withTests(first), withTests(second))).toBe(isPassed);
});

test("errors outside of every test are written down with the file that ran", () => {
  const path = join(temporaryFolder(), "unhandled.json");
  vi.stubEnv(unhandledVariable, path);
  const error = { name: "Error", message: "disposed" };
  new UnhandledReporter().onTestRunEnd([], [{ ...error, VITEST_TEST_PATH: "/a.test.ts" }, error]);
  vi.unstubAllEnvs();
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(["/a.test.ts", null]);
});

test.each([
  [{ passed: 12, failed: 0, testsRun: 10 }, "12 passed, 0 failed"],
  [{ passed: 2, failed: 0, testsRun: 0 }, "no test ran: all were skipped"],
  [{ passed: 1, failed: 1, testsRun: 0 }, "1 passed, 1 failed"],
])("steps that passed are not shown as tests that passed: %j ends with %s", (counts, line) => {
  expect(lastLine(counts)).toBe(line);
});
