import { silentLog } from "../../../kit/log.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import type { ConnectorDefinition, OpenConnector, OpenContext } from "../../../sdk/connector.ts";
import type { TestRunner } from "./conformance-suite.ts";
import { connectorChecks } from "./connector-checks.ts";

export interface ConnectorSuiteOptions {
  readonly test: TestRunner;
  /**
   * Opens the connector, with its options, against a test system. Called once per test; each connector is closed
   * afterwards.
   */
  readonly open: (context: OpenContext) => OpenConnector | Promise<OpenConnector>;
  /** The definition itself, if its options are to be checked as well. */
  readonly definition?: ConnectorDefinition;
  /** Whether events may be sent: they stay in the test system. */
  readonly isFull?: boolean;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;

/** What the engine relies on in every connector. */
export function connectorSuite(options: ConnectorSuiteOptions): void {
  const { test, open, definition, isFull = false, timeoutMs = defaultTimeoutMs } = options;
  for (const { name, needsDefinition, isWriting, run } of connectorChecks) {
    if ((needsDefinition === true && definition === undefined) || (isWriting === true && !isFull)) continue;
    test(
      name,
      async () => {
        const connector = await open(contextForTest());
        try {
          await run(connector, definition);
        } finally {
          await connector.close();
        }
      },
      timeoutMs,
    );
  }
}

function contextForTest(): OpenContext {
  const notes = new Map<string, string>();
  return {
    clock: systemClock,
    log: silentLog,
    timers: systemTimers,
    dates: { timeZone: "UTC", timeOfDay: "00:00" },
    databaseFile: "",
    connectorState: {
      read: (key) => notes.get(key),
      write: async (key, text) => {
        notes.set(key, text);
      },
    },
  };
}
