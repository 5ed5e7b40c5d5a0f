/** Thrown if work takes longer than its deadline. */
export class DeadlineExceeded extends Error {
  constructor(deadlineMs: number) {
    super(`no answer within ${deadlineMs} ms`);
    this.name = "DeadlineExceeded";
  }
}

/** Settles with the work, or rejects at the deadline. Use `onExceeded` to abort work that still runs. */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number, onExceeded: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const exceed = () => {
      if (isOver) return;
      onExceeded();
      reject(new DeadlineExceeded(deadlineMs));
    };
    // In a turn of the event loop, timers run before sockets: after a stall, the answer may be here but unread. Giving
    // up then would send the same event again to a receiver that has already accepted it.
    const timer = setTimeout(() => setImmediate(exceed), deadlineMs);
    work.then(resolve, reject).finally(() => {
      isOver = true;
      clearTimeout(timer);
    });
  });
}

/** The time, passed in. Nothing else in the code reads the system clock, so every test can control it. */
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
