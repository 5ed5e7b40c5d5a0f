const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The wait after each failure; after the last one, hourly. */
const stepsMs = [0, second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour] as const;
/** Jitter: deliveries that failed together must not be retried together. */
const jitter = 0.2;
const longestRetryAfterMs = hour;

/** The longest wait: due times beyond it come from a wrong clock. */
export const longestDelayMs = hour * (1 + jitter);

export interface RetryQuery {
  /** Number of failures so far. */
  readonly failures: number;
  /** Uniform in 0 to 1. */
  readonly random: () => number;
  /** The delay the target requested. */
  readonly retryAfterMs?: number | undefined;
}

/** How long to wait before the next try, in milliseconds. */
export function retryPlan({ failures, random, retryAfterMs = 0 }: RetryQuery): number {
  const step = stepsMs[Math.min(Math.max(0, failures), stepsMs.length - 1)] ?? hour;
  const planned = Math.round(step * (1 - jitter + 2 * jitter * random()));
  const asked = Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs, longestRetryAfterMs) : longestRetryAfterMs;
  return Math.max(planned, asked);
}
