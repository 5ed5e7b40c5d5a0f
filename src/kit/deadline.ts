/** Runs out after a while unless it is cleared. Lazy: most calls answer at once and never need a timer. */
export class DeadlineExceeded extends Error {
  constructor(deadlineMs: number) {
    super(`no answer within ${deadlineMs} ms`);
    this.name = "DeadlineExceeded";
  }
}

/** Settles with the work, or rejects when the time is over; `onExceeded` is the place to abort what still runs. */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number, onExceeded: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onExceeded();
      reject(new DeadlineExceeded(deadlineMs));
    }, deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
