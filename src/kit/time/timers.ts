import type { ManualClock } from "./clock.ts";

/** Waiting from outside, so that tests decide when time has passed. */
export interface Timers {
  /** Runs once after a while; the returned function calls it off. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs when all that is under way in this turn of the loop has had its say. */
  readonly soon: (run: () => void) => void;
  /** Milliseconds that have really passed since some moment of this process, whatever anybody does to the clock. */
  readonly passed: () => number;
}

/** The system fires at once when asked to wait longer than 24.8 days; nobody here needs more than one. */
const longestMs = 24 * 3_600_000;

export const systemTimers: Timers = {
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, longestMs));
    return () => clearTimeout(timer);
  },
  soon: (run) => {
    setImmediate(run);
  },
  passed: () => performance.now(),
};

export interface ManualTimers extends Timers {
  /** Lets everything happen that can happen without time passing. */
  readonly settle: () => Promise<void>;
  /** Moves the clock on, stopping at every timer on the way. */
  readonly pass: (ms: number) => Promise<void>;
  /** How many timers are set. */
  readonly count: () => number;
}

export function manualTimers(clock: ManualClock): ManualTimers {
  // Timers count time that passed, not what the clock says: a clock that is set back must not hold them up.
  let passed = 0;
  let set: { at: number; run: () => void }[] = [];
  let next: (() => void)[] = [];

  const settle = async () => {
    for (let quiet = 0; quiet < 2; quiet++) {
      // A real turn of the loop: every promise that can settle has settled afterwards.
      await new Promise((resolve) => setImmediate(resolve));
      const runs = next;
      next = [];
      if (runs.length > 0) quiet = -1;
      for (const run of runs) run();
    }
  };

  return {
    after: (ms, run) => {
      const timer = { at: passed + Math.max(0, ms), run };
      set.push(timer);
      return () => {
        set = set.filter((other) => other !== timer);
      };
    },
    soon: (run) => {
      next.push(run);
    },
    passed: () => passed,
    settle,
    pass: async (ms) => {
      const end = passed + ms;
      await settle();
      for (;;) {
        const first = set.reduce<(typeof set)[number] | null>((a, b) => (a === null || b.at < a.at ? b : a), null);
        const until = first === null || first.at > end ? end : first.at;
        clock.advance({ ms: until - passed });
        passed = until;
        if (first === null || first.at > end) return;
        set = set.filter((other) => other !== first);
        first.run();
        await settle();
      }
    },
    count: () => set.length,
  };
}
