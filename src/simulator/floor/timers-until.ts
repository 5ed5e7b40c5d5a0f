import type { Timers } from "../../kit/timers.ts";

/** Timers that nobody waits for any more once it is over: whoever has ended a shift does not wait for somebody to walk. */
export const timersUntil = (timers: Timers, over: AbortSignal): Timers => ({
  ...timers,
  after: (ms, run) => {
    const finish = () => {
      callOff();
      run();
    };
    const stop = timers.after(over.aborted ? 0 : ms, finish);
    const callOff = () => {
      stop();
      over.removeEventListener("abort", finish);
    };
    over.addEventListener("abort", finish);
    return callOff;
  },
});
