import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a running service uses of the machine. */
export interface Gauge {
  readonly memoryMiB: () => number;
  readonly descriptors: () => number;
  /** The journal's log beside the database, which is folded into it again and again. */
  readonly logMiB: () => number;
}

/** The most that was seen of each, over all lives of the service in a scenario. */
export interface Peaks {
  memoryMiB: number;
  descriptors: number;
  logMiB: number;
}

export function gaugeOf({ pid, dataFolder }: { readonly pid: number; readonly dataFolder: string }): Gauge {
  return {
    memoryMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    logMiB: () => (statSync(join(dataFolder, "crossdock.db-wal"), { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20,
  };
}

/** One look; a service that is just being killed, or whose disk is gone, shows nothing. */
export function notePeaks(peaks: Peaks, gauge: Gauge): void {
  for (const what of ["memoryMiB", "descriptors", "logMiB"] as const) {
    try {
      peaks[what] = Math.max(peaks[what], gauge[what]());
    } catch {}
  }
}
