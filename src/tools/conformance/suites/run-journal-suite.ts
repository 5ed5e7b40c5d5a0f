import { journalSuite as promises } from "../../../journal/journal-suite.ts";
import type { OpenForTest } from "../../../journal/suite/journal-check.ts";
import type { TestRunner } from "./conformance-suite.ts";

export interface JournalSuiteOptions {
  readonly test: TestRunner;
  /** Opens an empty journal of the kind under test. */
  readonly open: OpenForTest;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 60_000;

/** What every journal guarantees, whatever its storage. */
export function journalSuite({ test, open, timeoutMs = defaultTimeoutMs }: JournalSuiteOptions): void {
  // Jest would end a test after five seconds; a busy disk can take longer.
  for (const { name, run } of promises({ open })) test(name, run, timeoutMs);
}
