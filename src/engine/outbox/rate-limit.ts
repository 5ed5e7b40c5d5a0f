import type { Clock } from "../../kit/clock.ts";

export interface RateLimit {
  /** Takes a permit; false where there is none now. */
  readonly take: () => boolean;
  /** How long until there is one; 0 where there is. */
  readonly waitMs: () => number;
}

/** A token bucket: so many per second, and no more than a second's worth at once. */
export function rateLimit({ clock, perSecond }: { clock: Clock; perSecond: number }): RateLimit {
  const capacity = Math.max(1, perSecond);
  let permits = capacity;
  let countedAt = clock.now();

  const refill = () => {
    const now = clock.now();
    // A clock that was set back gives nothing, and takes nothing away.
    permits = Math.min(capacity, permits + (Math.max(0, now - countedAt) * perSecond) / 1000);
    countedAt = now;
  };
  // Fractions add up to 0.9999…; without the allowance the last permit would cost another round.
  const isThere = () => permits >= 1 - 1e-6;

  return {
    take: () => {
      refill();
      if (!isThere()) return false;
      permits = Math.max(0, permits - 1);
      return true;
    },
    waitMs: () => {
      refill();
      return isThere() ? 0 : Math.ceil(((1 - permits) / perSecond) * 1000);
    },
  };
}

export const noRateLimit: RateLimit = { take: () => true, waitMs: () => 0 };
