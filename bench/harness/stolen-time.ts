import { readFileSync } from "node:fs";

/**
 * Returns a function that returns which share of the processor time the host of a virtual machine has taken since then
 * for others. Zero on a machine of its own, and where the system does not tell it.
 */
export function stolenSince(read = machineTimes): () => number {
  const before = read();
  return () => {
    const now = read();
    const all = now.all - before.all;
    return all > 0 ? (now.stolen - before.stolen) / all : 0;
  };
}

/** The place of the stolen time in the line of Linux: user, nice, system, idle, iowait, irq, softirq, steal. */
const stolenPlace = 7;

/** What the machine has done since it started, in the steps in which the system counts. */
export function machineTimes(): { readonly all: number; readonly stolen: number } {
  try {
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
    const times = line
      .split(/\s+/)
      .slice(1, stolenPlace + 2)
      .map(Number);
    return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[stolenPlace] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}
