import { isMainThread } from "node:worker_threads";

/**
 * Loaded before the program itself: measures how long its main thread works without a break. It reports the longest
 * such turn, in processor time, whenever the parent process asks, and then begins anew. Processor time leaves out what
 * other programs take of the machine.
 */
if (isMainThread && process.send !== undefined) {
  let longestMs = 0;
  let before = worked();
  let beforeAt = performance.now();
  const look = () => {
    const now = worked();
    const at = performance.now();
    // The system counts some processor time late, and then more than has passed.
    longestMs = Math.max(longestMs, Math.min(now - before, at - beforeAt));
    before = now;
    beforeAt = at;
    setTimeout(look, 1).unref();
  };
  setImmediate(look);
  process.on("message", () => {
    process.send?.(longestMs);
    longestMs = 0;
  });
  // The program decides for itself how long it runs.
  process.channel?.unref();
}

/** Processor time of this thread, in milliseconds. */
function worked(): number {
  // Linux counts the time of a running thread in steps of four milliseconds. Asking for that of the process has it count
  // up to now.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
