import { isMainThread } from "node:worker_threads";

/**
 * Loaded before the program itself: measures how long its main thread works without a break. It reports the longest
 * such turn, in processor time, whenever the parent process asks, and then begins anew. Processor time leaves out what
 * other programs take of the machine.
 */
if (isMainThread && process.send !== undefined) {
  let longestMs = 0;
  let before = times();
  const look = () => {
    const now = times();
    // Linux counts the time of a running thread in steps of up to four milliseconds, so a turn may seem longer than it was.
    const turnMs = Math.min(now.workedMs - before.workedMs, now.passedMs - before.passedMs);
    longestMs = Math.max(longestMs, turnMs);
    before = now;
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

function times(): { readonly workedMs: number; readonly passedMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { workedMs: (user + system) / 1000, passedMs: performance.now() };
}
