import { writeFileSync } from "node:fs";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/** The file to write is named in this variable; without it nothing is written. */
export const unhandledVariable = "CROSSDOCK_UNHANDLED_ERRORS";

/**
 * Writes down during which file of tests something failed outside of every test. It makes a run red although all tests
 * passed, and the JSON report does not mention it.
 */
export default class UnhandledReporter implements Reporter {
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const path = process.env[unhandledVariable];
    if (path === undefined) return;
    writeFileSync(path, JSON.stringify(errors.map((error) => error["VITEST_TEST_PATH"] ?? null)));
  }
}
