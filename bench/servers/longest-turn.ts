import { isMainThread } from "node:worker_threads";
import { machineTimes } from "../harness/stolen-time.ts";

export interface LongestTurns {
  /** The longest of all turns. */
  readonly longestMs: number;
  /** The longest of those in which the host of a virtual machine took no processor time. */
  readonly undisturbedMs: number;
  /** How many turns of more than a few milliseconds were left out of the second figure. */
  readonly disturbed: number;
}

/** Shorter turns are not looked at more closely. */
const noticedMs = 8;
/** How often the time that the host took is read in between. */
const readEveryMs = 100;

/**
 * Loaded before the program itself: measures how long its main thread works without a break. It reports the longest
 * such turn, in processor time, whenever the parent process asks, and then begins anew. Processor time leaves out what
 * other programs take of the machine, but not what the host of a virtual machine takes.
 */
if (isMainThread && process.send !== undefined) {
  let found: LongestTurns = nothingFound();
  let before = worked();
  let beforeAt = performance.now();
  let stolen = machineTimes().stolen;
  let readAt = beforeAt;
  const isStolenSince = (at: number) => {
    const earlier = stolen;
    stolen = machineTimes().stolen;
    readAt = at;
    return stolen !== earlier;
  };
  const look = () => {
    const now = worked();
    const at = performance.now();
    // The system counts some processor time late, and then more than has passed.
    const ms = Math.min(now - before, at - beforeAt);
    const { longestMs, undisturbedMs, disturbed } = found;
    const isDisturbed = (ms > noticedMs || at - readAt > readEveryMs) && isStolenSince(at) && ms > noticedMs;
    found = {
      longestMs: Math.max(longestMs, ms),
      undisturbedMs: isDisturbed ? undisturbedMs : Math.max(undisturbedMs, ms),
      disturbed: disturbed + (isDisturbed ? 1 : 0),
    };
    before = now;
    beforeAt = at;
    setTimeout(look, 1).unref();
  };
  setImmediate(look);
  process.on("message", () => {
    process.send?.(found);
    found = nothingFound();
  });
  // The program decides for itself how long it runs.
  process.channel?.unref();
}

function nothingFound(): LongestTurns {
  return { longestMs: 0, undisturbedMs: 0, disturbed: 0 };
}

/** Processor time of this thread, in milliseconds. */
function worked(): number {
  // Linux counts the time of a running thread in steps of four milliseconds. Asking for that of the process has it count
  // up to now.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
