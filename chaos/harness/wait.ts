import { setTimeout as pause } from "node:timers/promises";

export { pause };

/** Checks repeatedly until the condition is true. Returns false if the time is over. */
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
