/**
 * Returns the longest time that this thread worked without a break while `action` ran, so that nothing else got its
 * turn. It is measured in processor time, so that other programs on the machine do not count.
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

/**
 * Returns the smallest of the longest stalls of three runs. A pause of the runtime itself (compiling, collecting
 * garbage) can fall into one run; a stall that the code causes is in all of them.
 */
export async function leastStall(action: () => Promise<unknown>): Promise<number> {
  const stalls: number[] = [];
  for (let run = 0; run < 3; run += 1) stalls.push((await longestStall(action)).stallMs);
  return Math.min(...stalls);
}

/** Returns the processor time of this thread. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
