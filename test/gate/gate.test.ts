import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { filesToRepeat } from "./files-to-repeat.ts";
import UnhandledReporter, { unhandledVariable } from "./unhandled-reporter.ts";

const reportOf = (files: Readonly<Record<string, string>>) => ({
  ...{ numPassedTests: 1, numFailedTests: 0 },
  testResults: Object.entries(files).map(([name, status]) => ({ name, status })),
});

test.each([
  ["a failed test", { a: "failed", b: "passed" }, [], ["a"]],
  ["an error outside of every test", { a: "passed", b: "passed" }, ["b"], ["b"]],
  ["both in one file", { a: "failed" }, ["a", "a"], ["a"]],
  ["both in two files", { a: "failed", b: "passed" }, ["b"], ["a", "b"]],
])("the file with %s runs once more", (_what, files, unhandled, repeated) => {
  expect(filesToRepeat(reportOf(files), unhandled)).toEqual(repeated);
});

test.each([
  ["three files failed", { a: "failed", b: "failed", c: "passed" }, ["c"]],
  ["an error belongs to no file", { a: "failed" }, [null]],
  ["nothing failed, as after a test that was left out", { a: "passed" }, []],
])("no file runs once more if %s", (_what, files, unhandled) => {
  expect(filesToRepeat(reportOf(files), unhandled)).toEqual([]);
});

test("errors outside of every test are written down with the file that ran", () => {
  const path = join(temporaryFolder(), "unhandled.json");
  vi.stubEnv(unhandledVariable, path);
  const error = { name: "Error", message: "disposed" };
  new UnhandledReporter().onTestRunEnd([], [{ ...error, VITEST_TEST_PATH: "/a.test.ts" }, error]);
  vi.unstubAllEnvs();
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(["/a.test.ts", null]);
});
