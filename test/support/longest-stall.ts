/**
 * The longest time that this thread worked on one thing while something was under way, so that nothing else got its
 * turn. In time of the processor: what other programs take from it is not the fault of the thread.
 */
export async function longestStall<Result>(
  action: () => Promise<Result>,
): Promise<{ readonly stallMs: number; readonly result: Result }> {
  let stallMs = 0;
  let isOver = false;
  let before = workedMs();
  const look = () => {
    const now = workedMs();
    stallMs = Math.max(stallMs, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  look();
  const result = await action();
  look();
  isOver = true;
  return { stallMs, result };
}

/** Processor time of this thread. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
