import { statfs } from "node:fs/promises";
import type { Log } from "../kit/log.ts";
import type { Timers } from "../kit/time/timers.ts";

export interface DiskWatch {
  /**
   * `low`: somebody should free some space. `full`: new events are refused, so that accepted ones can still be
   * finished.
   */
  readonly state: () => "enough" | "low" | "full";
  /** Null until the first check. */
  readonly freeBytes: () => number | null;
  readonly isFull: () => boolean;
  readonly stop: () => void;
}

const everyMs = 500;
const mib = 2 ** 20;

/**
 * Watches the free space of the data folder. The last part of it is reserved for the results of deliveries: if events
 * filled the disk completely, nobody could store which of them were delivered.
 */
export function watchDisk({ folder, timers, log }: { folder: string; timers: Timers; log: Log }): DiskWatch {
  let state: ReturnType<DiskWatch["state"]> = "enough";
  let freeBytes: number | null = null;
  let isReadable = true;
  let isStopped = false;
  let cancel = () => {};

  const check = async () => {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      freeBytes = bavail * bsize;
      const next = diskState(freeBytes, blocks * bsize);
      const fields = { freeMiB: Math.floor(freeBytes / mib) };
      isReadable = true;
      if (next !== state && next === "enough") log.info(fields, "the disk of the data folder has enough space again");
      if (next !== state && next === "low") log.warn(fields, "the disk of the data folder is nearly full");
      if (next !== state && next === "full")
        log.error(fields, "the disk of the data folder is full: new events are refused until there is space again");
      state = next;
    } catch (error) {
      // Once, because it is tried twice a second.
      if (isReadable) log.error({ err: error }, "the free space of the data folder cannot be read");
      isReadable = false;
    }
    if (!isStopped) cancel = timers.after(everyMs, check);
  };
  void check();

  return {
    state: () => state,
    freeBytes: () => freeBytes,
    isFull: () => state === "full",
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

/**
 * Limits by bytes on a large disk and by share on a small one: a tiny volume would otherwise never have enough free
 * space.
 */
export function diskState(freeBytes: number, totalBytes: number): "enough" | "low" | "full" {
  if (freeBytes < Math.min(128 * mib, 0.01 * totalBytes)) return "full";
  return freeBytes < Math.min(512 * mib, 0.05 * totalBytes) ? "low" : "enough";
}
