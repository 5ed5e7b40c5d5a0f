import { silentLog } from "../../../src/kit/log.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import type { OpenContext } from "../../../src/sdk/connector.ts";

/** The context that connectors are opened with in tests: connector state in memory, and whatever the test sets. */
export function openContext(given: Partial<OpenContext> = {}): OpenContext {
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
    ...given,
  };
}
