import { setTimeout as pause } from "node:timers/promises";

export { pause };

/** Looks again and again until it holds; false when the time is over. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  { withinMs, everyMs = 20 }: { withinMs: number; everyMs?: number },
): Promise<boolean> {
  const endAt = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endAt) return false;
    await pause(everyMs);
  }
  return true;
}

/** Counts from 1, until it is enough or the time is over: a busy machine gets fewer rounds, not a later end. */
export function* rounds({ most, withinS }: { most: number; withinS: number }): Generator<number> {
  const endAt = performance.now() + withinS * 1000;
  for (let round = 1; round <= most && performance.now() < endAt; round++) yield round;
}
