import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";

interface RetryUntilDoneNeeds {
  readonly timers: Timers;
  readonly log: Log;
  /** Whether the service has stopped, so that retrying is useless. */
  readonly isOver: () => boolean;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Retries a journal operation until it succeeds: a full disk is temporary, and memory must not get ahead of what is
 * stored. Undefined if the service stopped first.
 */
export async function retryUntilDone<T>(
  operation: () => Promise<T>,
  { timers, log, isOver }: RetryUntilDoneNeeds,
): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await operation();
    } catch (error) {
      if (isOver()) return undefined;
      log.error({ err: error, retryInMs: waitMs }, "a delivery step could not be stored in the journal; trying again");
      await new Promise<void>((resolve) => timers.after(waitMs, resolve));
    }
  }
}
