/** What a run of the tests has written. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/** More failed files than these are no accident of a busy machine. */
const mostRepeatedFiles = 2;

/**
 * The files that run once more, alone: those with a failed test, and those during which something failed outside of every
 * test. None if there are many, or if something failed that belongs to no file (null).
 */
export function filesToRepeat(report: TestReport, unhandled: readonly (string | null)[]): readonly string[] {
  const failed = report.testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  const named = unhandled.filter((file) => file !== null);
  const files = [...new Set([...failed, ...named])];
  return named.length < unhandled.length || files.length > mostRepeatedFiles ? [] : files;
}
