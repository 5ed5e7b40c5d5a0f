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
    // Not at every turn of the loop: a thread that never rests takes a core from the other tests.
    if (!isOver) setTimeout(look, 1);
  };
  look();
  const result = await action();
  look();
  isOver = true;
  return { stallMs, result };
}

/**
 * Returns the smallest of the longest stalls of some runs. A pause of the runtime itself (compiling, collecting garbage)
 * can fall into one run; a stall that the code causes is in all of them. With a limit, the first run below it is the
 * last: it has shown all there is to show.
 */
export async function leastStall(
  action: (run: number) => Promise<unknown>,
  { below = 0, most = 3 }: { readonly below?: number; readonly most?: number } = {},
): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < most && leastMs >= below; run += 1) {
    leastMs = Math.min(leastMs, (await longestStall(() => action(run))).stallMs);
  }
  return leastMs;
}

/** Returns the processor time of this thread. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
