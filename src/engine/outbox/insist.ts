import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/timers.ts";

export interface InsistNeeds {
  readonly timers: Timers;
  readonly log: Log;
  /** True where it is no use to go on: the service has stopped. */
  readonly isOver: () => boolean;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Asks the journal until it answers: a disk that is full now will not be for ever, and what is in memory
 * must not get ahead of what is stored. Undefined where it was over before there was an answer.
 */
export async function insist<T>(ask: () => Promise<T>, { timers, log, isOver }: InsistNeeds): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await ask();
    } catch (error) {
      if (isOver()) return undefined;
      log.error({ err: error, retryInMs: waitMs }, "the journal did not take a step of a delivery; trying again");
      await new Promise<void>((resolve) => timers.after(waitMs, resolve));
    }
  }
}
