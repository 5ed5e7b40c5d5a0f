import type { Clock } from "./clock.ts";
import type { Timers } from "./timers.ts";

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
