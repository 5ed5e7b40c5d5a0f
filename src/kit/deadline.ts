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
    let isOver = false;
    const exceed = () => {
      if (isOver) return;
      onExceeded();
      reject(new DeadlineExceeded(deadlineMs));
    };
    // Timers come before sockets in a turn: after a stall, the answer may lie here unread. Giving up on it would
    // mean that the same event is sent once more to somebody who has long taken it.
    const timer = setTimeout(() => setImmediate(exceed), deadlineMs);
    work.then(resolve, reject).finally(() => {
      isOver = true;
      clearTimeout(timer);
    });
  });
}
