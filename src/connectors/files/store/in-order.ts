/** Lets one thing happen after the other, in the order they were asked for; one that fails holds nobody up. */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // Who gave the work hears of its error; the next one only waits for its end.
    last = mine.catch(() => {});
    return mine;
  };
}
