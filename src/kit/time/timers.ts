import type { Clock, ManualClock } from "./clock.ts";

/** Timers, passed in, so that tests decide when time has passed. */
export interface Timers {
  /** Runs once after a while. The returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs after everything pending in this turn of the event loop. */
  readonly soon: (run: () => void) => void;
  /** Monotonic milliseconds since some moment of this process, independent of changes to the clock. */
  readonly passed: () => number;
}

/** Node fires at once if the delay is longer than 24.8 days. No caller needs more than one day. */
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
  /** Runs everything that can run without time passing. */
  readonly settle: () => Promise<void>;
  /** Advances the clock, stopping at every timer on the way. */
  readonly pass: (ms: number) => Promise<void>;
  /** How many timers are set. */
  readonly count: () => number;
}

export function manualTimers(clock: ManualClock): ManualTimers {
  // Timers count elapsed time, not the clock: a clock that is set back must not delay them.
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

/** A smaller difference is no jump: clocks are corrected by a little all the time. */
const toleranceMs = 1_000;
/** Only a broken clock jumps more often. Its oldest jumps are forgotten. */
const mostJumps = 1_000;

export interface SteadyTime {
  /** The time of the clock without the jumps that it has made in this process. */
  readonly now: () => number;
  /** How long ago, by the clock, something can seem that happened within the last `ms`. */
  readonly clockMs: (ms: number) => number;
}

/**
 * Tells time that has passed from jumps of the clock. A clock that is put forward makes everything look older than it
 * is, and one that is put back, younger. Jumps before the start of this process are not known: for what happened
 * before it, the time of the clock counts.
 */
export function steadyTime({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }): SteadyTime {
  let ahead = clock.now() - timers.passed();
  let jumpedMs = 0;
  /** When each jump was noticed, in time that has passed, the latest last. */
  const jumps: { readonly noticedAt: number; readonly byMs: number }[] = [];

  /** Notices a jump since the last call. */
  const look = (): number => {
    const passed = timers.passed();
    const byMs = clock.now() - passed - ahead;
    ahead += byMs;
    if (Math.abs(byMs) > toleranceMs) {
      jumpedMs += byMs;
      jumps.push({ noticedAt: passed, byMs });
      if (jumps.length > mostJumps) jumps.shift();
    }
    return passed;
  };

  return {
    now: () => {
      look();
      return clock.now() - Math.round(jumpedMs);
    },
    clockMs: (ms) => {
      const passed = look();
      let longest = 0;
      let later = 0;
      // What happened between two jumps seems as much older as the clock has jumped since.
      for (const { noticedAt, byMs } of jumps.toReversed()) {
        const since = passed - noticedAt;
        if (since >= ms) break;
        longest = Math.max(longest, since + later);
        later += byMs;
      }
      return Math.max(longest, ms + later);
    },
  };
}
