import { errorCode } from "../../../kit/narrow.ts";
import type { Timers } from "../../../kit/time/timers.ts";

/** PostgreSQL's error codes when it is there and will answer soon: too many connections, starting, a time limit. */
const passing: ReadonlySet<unknown> = new Set(["53300", "57P03", "57014", "55P03"]);
const retryMs = 250;
const patienceMs = 30_000;

/**
 * Tries again while PostgreSQL is only busy. Processes that start or stop with many deployments ask much of it at the
 * same time, and a start that failed because of that would have to be repeated by a person.
 */
export async function whileBusy<Done>(work: () => Promise<Done>, timers: Timers): Promise<Done> {
  const until = timers.passed() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || timers.passed() + retryMs > until) throw error;
      await new Promise<void>((resolve) => timers.after(retryMs, resolve));
    }
  }
}

/** The driver's own time limit has no code. */
const isPassing = (error: unknown): boolean =>
  passing.has(errorCode(error)) || (error instanceof Error && error.message === "Query read timeout");
