import { journalSuite as promises } from "../../../journal/journal-suite.ts";
import type { OpenForTest } from "../../../journal/suite/journal-check.ts";
import type { CheckReport, Report } from "../conformance-report.ts";
import { allChecks, type ConformanceOptions, runConformance, wantedBy } from "../run-conformance.ts";

export interface ConformanceSuiteOptions extends Omit<ConformanceOptions, "url"> {
  readonly test: TestRunner;
  /** The address, or a function that returns it, such as for a server that the set-up starts. */
  readonly url: string | (() => string | Promise<string>);
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 120_000;

/** One test per check. The first test runs all checks; the others read the results. */
export function conformanceSuite({
  test,
  url,
  timeoutMs = defaultTimeoutMs,
  ...options
}: ConformanceSuiteOptions): void {
  let running: Promise<Report> | undefined;
  const report = async (): Promise<Report> => {
    running ??= Promise.resolve(typeof url === "string" ? url : url()).then((address) =>
      runConformance({ ...options, url: address }),
    );
    return await running;
  };
  for (const { id, title } of allChecks().filter(wantedBy(options))) {
    test(
      `${id}: ${title}`,
      async () => {
        const found = (await report()).checks.find((check) => check.id === id);
        if (found?.state === "failed") throw new Error(failureText(found));
      },
      timeoutMs,
    );
  }
}

function failureText({ basis, hint, findings }: CheckReport): string {
  const [first] = findings;
  return [
    `expected ${first?.expected ?? ""}`,
    `sent     ${first?.sent.method} ${first?.sent.path} ${first?.sent.body ?? ""}`,
    `received ${first?.received.status ?? "nothing"} ${first?.received.text}`,
    `${basis.source}, ${basis.where}: ${basis.text}`,
    `hint     ${hint}`,
  ].join("\n");
}

/**
 * The `test` function of node:test, vitest or jest. The third argument is the time limit of vitest and jest; node:test
 * has none by default and ignores it.
 */
export type TestRunner = (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;

export interface JournalSuiteOptions {
  readonly test: TestRunner;
  /** Opens an empty journal of the kind under test. */
  readonly open: OpenForTest;
  readonly timeoutMs?: number;
}

const journalTimeoutMs = 60_000;

/** What every journal guarantees, whatever its storage. */
export function journalSuite({ test, open, timeoutMs = journalTimeoutMs }: JournalSuiteOptions): void {
  // Jest would end a test after five seconds; a busy disk can take longer.
  for (const { name, run } of promises({ open })) test(name, run, timeoutMs);
}
