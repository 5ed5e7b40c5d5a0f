import type { Clock } from "../../kit/clock.ts";

/** How one question to one external system has been going. */
export interface Trouble {
  /** It was not reached, or not in time. */
  readonly missed: () => void;
  /** It answered in time: the island is over. True where it had begun. */
  readonly answered: () => boolean;
  /** Nobody should wait for it any more where something is known. */
  readonly isLasting: () => boolean;
  /** Whether this moment is one to see if it is back; says yes once in a while only. */
  readonly mayProbe: () => boolean;
  /** Since when it has been missing; null while all is well. */
  readonly since: () => number | null;
}

const lastingAfter = 3;
const probeEveryMs = 2_000;

export function trouble(clock: Clock): Trouble {
  let inARow = 0;
  let since: number | null = null;
  let probedAt = Number.NEGATIVE_INFINITY;
  return {
    missed: () => {
      inARow++;
      since ??= clock.now();
    },
    answered: () => {
      const wasMissing = since !== null;
      inARow = 0;
      since = null;
      probedAt = Number.NEGATIVE_INFINITY;
      return wasMissing;
    },
    isLasting: () => inARow >= lastingAfter,
    mayProbe: () => {
      const now = clock.now();
      // A clock that was set back must not put the next look off.
      if (now - probedAt < probeEveryMs && now >= probedAt) return false;
      probedAt = now;
      return true;
    },
    since: () => since,
  };
}
