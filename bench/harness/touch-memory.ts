import type { TouchedMemory } from "./processes/free-memory.ts";
import { startFreeMemory } from "./programs.ts";

/** Uses all free memory once before anything is measured, and says how long that took. */
export async function touchMemory(say: (text: string) => void): Promise<void> {
  const child = await startFreeMemory();
  try {
    const { gb, seconds, slowestMs, usualMs } = await child.run<TouchedMemory>();
    const [all, slowest, usual] = [seconds.toFixed(0), slowestMs.toFixed(0), usualMs.toFixed(1)];
    if (gb > 0)
      say(`used ${gb.toFixed(1)} GB of memory once in ${all} s; 1 MB took ${usual} ms, the slowest ${slowest} ms`);
  } finally {
    await child.stop();
  }
}
