import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The resources that a running service uses. */
export interface Gauge {
  readonly memoryMiB: () => number;
  readonly descriptors: () => number;
  /** The journal's write-ahead log, which is merged into the database again and again. */
  readonly logMiB: () => number;
}

/** The maximum of each, over all runs of the service in a scenario. */
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

/** Takes one sample. A service that is being killed, or whose disk is gone, has none. */
export function notePeaks(peaks: Peaks, gauge: Gauge): void {
  for (const what of ["memoryMiB", "descriptors", "logMiB"] as const) {
    try {
      peaks[what] = Math.max(peaks[what], gauge[what]());
    } catch {}
  }
}
