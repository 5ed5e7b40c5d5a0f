import { readFileSync } from "node:fs";
import { serveJobs } from "./serve-jobs.ts";

export interface TouchedMemory {
  readonly gb: number;
  readonly seconds: number;
  /** How long the slowest megabyte took, and a usual one. */
  readonly slowestMs: number;
  readonly usualMs: number;
}

const mb = 2 ** 20;
/** Left to the other programs of the machine. */
const leftMb = 1_024;
const mostMb = 16 * 1_024;
const pieceMb = 64;

/**
 * Writes to all free memory once. A virtual machine often gets memory from its host only when it is used for the first
 * time. That may take hundreds of milliseconds for a megabyte, counted as work of whatever program happens to use it.
 */
await serveJobs(() => ({
  run: (): TouchedMemory => {
    const startedAt = performance.now();
    const pieces: Buffer[] = [];
    const times: number[] = [];
    const count = Math.floor(Math.max(0, Math.min(mostMb, unusedMb() - leftMb)) / pieceMb);
    for (let piece = 0; piece < count; piece++) {
      const memory = Buffer.allocUnsafeSlow(pieceMb * mb);
      pieces.push(memory);
      for (let at = 0; at < memory.length; at += mb) {
        const beganAt = performance.now();
        memory.fill(1, at, at + mb);
        times.push(performance.now() - beganAt);
      }
    }
    times.sort((one, other) => one - other);
    return {
      gb: (pieces.length * pieceMb) / 1_024,
      seconds: (performance.now() - startedAt) / 1_000,
      slowestMs: times.at(-1) ?? 0,
      usualMs: times[times.length >> 1] ?? 0,
    };
  },
}));

/** Without the memory in which the system keeps files: it was used before. Zero where the system does not tell it. */
function unusedMb(): number {
  try {
    return Number(/^MemFree:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
