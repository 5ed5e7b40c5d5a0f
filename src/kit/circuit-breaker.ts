import type { Clock } from "./time/clock.ts";

/**
 * `answer`: the target was reached, whatever it answered. `trouble`: it was not reached. `nothing`: the attempt shows
 * neither.
 */
export type CallResult = "answer" | "trouble" | "nothing";

export interface CircuitBreaker {
  readonly state: () => "closed" | "open" | "half-open";
  /** How many calls may be in flight now. */
  readonly limit: () => number;
  readonly mayStart: (inFlight: number) => boolean;
  readonly started: () => void;
  /** Reports the result of a call. Returns true if this answer ends an outage. */
  readonly record: (result: CallResult, retryAfterMs?: number) => boolean;
  /** Milliseconds until the next probe may start; null if there is nothing to wait for. */
  readonly waitMs: () => number | null;
}

const failuresInARow = 5;
const remembered = 20;
const probeWaitsMs = [5_000, 10_000, 15_000] as const;
const longestWaitMs = 3_600_000;

/**
 * Limits calls to a failing target, and keeps single calls from being blamed for its outage.
 * After an outage it starts slowly: one call at a time, then two, four, up to the full number.
 */
export function circuitBreaker({ clock, concurrency }: { clock: Clock; concurrency: number }): CircuitBreaker {
  let state: "closed" | "open" | "half-open" = "closed";
  let limit = concurrency;
  let answersInRound = 0;
  let troublesInARow = 0;
  let recent: boolean[] = [];
  let probesFailed = 0;
  let openedAt = 0;
  let openForMs = 0;

  const open = (retryAfterMs: number) => {
    state = "open";
    openedAt = clock.now();
    const planned = probeWaitsMs[Math.min(probesFailed, probeWaitsMs.length - 1)] ?? 0;
    openForMs = Math.min(Math.max(planned, retryAfterMs), longestWaitMs);
  };

  const close = () => {
    state = "closed";
    limit = 1;
    answersInRound = 0;
    troublesInARow = 0;
    recent = [];
    probesFailed = 0;
  };

  const remainingMs = () => {
    const now = clock.now();
    // The clock was set back. Without this, the target would wait until the old time is reached again.
    if (now < openedAt) openedAt = now;
    return Math.max(0, openedAt + openForMs - now);
  };

  const isTooMuch = () =>
    troublesInARow >= failuresInARow ||
    (recent.length === remembered && recent.filter((isTrouble) => isTrouble).length > remembered / 2);

  const remember = (isTrouble: boolean) => {
    recent.push(isTrouble);
    if (recent.length > remembered) recent.shift();
    troublesInARow = isTrouble ? troublesInARow + 1 : 0;
  };

  const onAnswer = (): boolean => {
    if (state !== "closed") {
      close();
      return true;
    }
    remember(false);
    if (limit < concurrency && ++answersInRound >= limit) {
      limit = Math.min(concurrency, limit * 2);
      answersInRound = 0;
    }
    return false;
  };

  const onTrouble = (retryAfterMs: number) => {
    if (state === "half-open") {
      probesFailed++;
      open(retryAfterMs);
    } else if (state === "closed") {
      remember(true);
      answersInRound = 0;
      // With Retry-After, the target says that it is the cause, not the call.
      if (isTooMuch() || retryAfterMs > 0) open(retryAfterMs);
    }
  };

  return {
    state: () => state,
    limit: () => (state === "closed" ? limit : state === "half-open" ? 1 : 0),
    mayStart: (inFlight) => (state === "closed" ? inFlight < limit : state === "open" && remainingMs() === 0),
    started: () => {
      if (state === "open") state = "half-open";
    },
    record: (result, retryAfterMs = 0) => {
      if (result === "answer") return onAnswer();
      if (result === "trouble") onTrouble(retryAfterMs);
      // The probe gave no result, for example because it was cancelled. The next one may start at once.
      else if (state === "half-open") state = "open";
      return false;
    },
    waitMs: () => (state === "open" ? remainingMs() : null),
  };
}
