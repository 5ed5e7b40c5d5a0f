/** What a run of the tests has written. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** What is known about a run that failed. A part is null if the run ended before it was written. */
export interface TestRun {
  readonly report: TestReport | null;
  /** The files during which something failed outside of every test; null for none that is known. */
  readonly unhandled: readonly (string | null)[] | null;
  /** Why skipped tests make the run fail. */
  readonly forbiddenSkips: readonly string[] | null;
}

/** More failed files than these are no accident of a busy machine. */
const mostRepeatedFiles = 2;

/**
 * The files that run once more, alone: those with a failed test, and those during which something failed outside of every
 * test. None if there are many, or if the run failed for a reason that these files cannot take back.
 */
export function filesToRepeat({ report, unhandled, forbiddenSkips }: TestRun): readonly string[] {
  if (report === null || unhandled === null || forbiddenSkips === null || forbiddenSkips.length > 0) return [];
  const failed = report.testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  const named = unhandled.filter((file) => file !== null);
  const files = [...new Set([...failed, ...named])];
  return named.length < unhandled.length || files.length > mostRepeatedFiles ? [] : files;
}

/** Whether each test of these files that ran at the first try has passed at the second: a skipped one has not. */
export function haveAllPassed(files: readonly string[], first: TestReport, second: TestReport): boolean {
  const count = ({ testResults }: TestReport, file: string, states: readonly string[]) =>
    testResults
      .filter(({ name }) => name === file)
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => states.includes(status)).length;
  // A file that could not be read had no tests at the first try.
  return files.every(
    (file) => count(second, file, ["passed"]) >= Math.max(1, count(first, file, ["passed", "failed"])),
  );
}
