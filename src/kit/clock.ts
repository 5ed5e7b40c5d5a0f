/** Time from outside. Nothing else in the code reads the system's clock, so every test can move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export const systemClock: Clock = { now: () => Date.now() };

export interface ManualClock extends Clock {
  readonly advance: (step: { ms?: number; seconds?: number; minutes?: number; days?: number }) => void;
}

export function manualClock(start = Date.UTC(2026, 0, 5, 8)): ManualClock {
  let now = start;
  return {
    now: () => now,
    advance: ({ ms = 0, seconds = 0, minutes = 0, days = 0 }) => {
      now += ms + 1000 * (seconds + 60 * (minutes + 1440 * days));
    },
  };
}
