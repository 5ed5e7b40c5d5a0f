const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long to wait after so many failures; after the last one, hourly. */
const stepsMs = [0, second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour] as const;
/** What failed together must not come back together. */
const jitter = 0.2;
const longestRetryAfterMs = hour;

/** No wait is ever longer than this: due times beyond it come from a clock that was wrong. */
export const longestDelayMs = hour * (1 + jitter);

export interface RetryQuery {
  /** How often it has failed so far. */
  readonly failures: number;
  /** Evenly from 0 to 1. */
  readonly random: () => number;
  /** What the target asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** How long to wait before the next try, in milliseconds. */
export function retryPlan({ failures, random, retryAfterMs = 0 }: RetryQuery): number {
  const step = stepsMs[Math.min(Math.max(0, failures), stepsMs.length - 1)] ?? hour;
  const planned = Math.round(step * (1 - jitter + 2 * jitter * random()));
  const asked = Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs, longestRetryAfterMs) : longestRetryAfterMs;
  return Math.max(planned, asked);
}
