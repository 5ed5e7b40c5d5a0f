import type { Entry } from "../../journal/entry.ts";
import { DeadlineExceeded } from "../../kit/deadline.ts";
import type { Timers } from "../../kit/timers.ts";
import { Fault } from "../../sdk/fault.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";
import type { RecordSent } from "../../sdk/record-sent.ts";
import type { DeliveryTarget } from "./delivery-target.ts";
import type { Result } from "./judge.ts";

/** Thrown into a delivery that is given back because the service stops. */
export class GivenBack extends Error {
  constructor() {
    super("given back: the service stops");
    this.name = "GivenBack";
  }
}

/** Calls the target once. Silence becomes a fault when the time is over, whether or not the target heeds the signal. */
export function callTarget(
  target: DeliveryTarget,
  entry: Entry,
  { timers, abort, record }: { timers: Timers; abort: AbortController; record: RecordSent },
): Promise<Result> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (result: Result) => {
      isOver = true;
      cancel();
      abort.signal.removeEventListener("abort", onAbort);
      resolve(result);
    };
    const onAbort = () => end({ error: abort.signal.reason });
    const giveUp = () => {
      if (isOver) return;
      const silence = new DeadlineExceeded(target.timeoutMs);
      abort.abort(new Fault("unreachable", silence.message, { cause: silence }));
    };
    // Not before the sockets had their turn: after a stall, the answer may have come long ago and lie here unread.
    const cancel = timers.after(target.timeoutMs, () => timers.soon(giveUp));
    abort.signal.addEventListener("abort", onAbort);
    const answer = operate(target, entry, abort.signal, record);
    // Also beyond the time limit: a connector must not be closed under a call that does not heed the signal.
    target.users?.during(answer);
    answer.then(
      (outcome) => end({ outcome }),
      (error: unknown) => end({ error }),
    );
  });
}

/** An operation may throw before it returns a promise; here that is a rejection like any other. */
async function operate(
  target: DeliveryTarget,
  entry: Entry,
  signal: AbortSignal,
  record: RecordSent,
): Promise<AnyOutcome> {
  return target.operate(entry, signal, record);
}
