import type { Timers } from "../../kit/timers.ts";

/** Lets calls through one by one so that no more than so many go out in a second; without a limit at once. */
export function openPace({
  perSecond,
  timers,
  now,
}: {
  readonly perSecond: number | null;
  readonly timers: Timers;
  readonly now: () => number;
}): () => Promise<void> {
  if (perSecond === null) return async () => {};
  const gapMs = 1000 / perSecond;
  let nextAt = 0;
  return () => {
    const at = Math.max(now(), nextAt);
    nextAt = at + gapMs;
    const waitMs = at - now();
    return waitMs < 1 ? Promise.resolve() : new Promise((resolve) => timers.after(waitMs, resolve));
  };
}
