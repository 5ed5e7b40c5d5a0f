import type { Attempt, Entry, Verdict } from "../../journal/entry.ts";
import type { Sign } from "../../kit/circuit-breaker.ts";
import { DeadlineExceeded } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { Fault } from "../../operation/fault.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { RecordSent } from "../../operation/record-sent.ts";
import type { DeliveryTarget } from "./outbox.ts";
import { retryPlan } from "./retry-plan.ts";

/** What an attempt came to: an outcome, or what was thrown. */
export type Result = { readonly outcome: AnyOutcome } | { readonly error: unknown };

export interface Judgement {
  readonly verdict: Verdict;
  /** What the attempt says about the target as a whole. */
  readonly sign: Sign;
  readonly retryAfterMs: number;
  readonly said: Pick<Attempt, "status" | "error" | "response">;
}

export interface JudgeNeeds {
  readonly now: number;
  readonly random: () => number;
  /** When the entry began to wait for this delivery: acceptance, or what a person did last. */
  readonly waitingSince: () => number;
  /** How long it has really been tried in this life of the adapter: no clock that is put forward adds to it. */
  readonly triedForMs: number;
  readonly horizonMs: number;
  /** How many tries after a passing answer there were, this one included. */
  readonly quickTries: number;
}

const mostQuickTries = 3;
/** Step of the retry plan from which the wait for a busy target grows no more. */
const mostBusySteps = 4;
const longestError = 2048;
const longestResponse = 4096;

/** Is it the target, or is it the entry? The whole target in trouble blames no entry; a bad entry opens no breaker. */
export function judge(entry: Entry, result: Result, needs: JudgeNeeds): Judgement {
  if ("outcome" in result) return ofOutcome(result.outcome);
  const { error } = result;
  const fault = error instanceof Fault ? error : new Fault("broken", textOf(error), { cause: error });
  const { status, text, retryAfterMs = 0, isPassing = false, isBusy = false } = fault.answer;
  const said = {
    error: fault.message.slice(0, longestError),
    ...(status === undefined ? {} : { status }),
    ...(text === undefined ? {} : { response: text.slice(0, longestResponse) }),
  };
  if (fault.kind === "unreachable") {
    // Busy with something else for this entry: reached it was, and the other lanes go on.
    const sign = isBusy ? "answer" : "trouble";
    return { verdict: ofTrouble(entry, { retryAfterMs, isBusy }, needs), sign, retryAfterMs, said };
  }
  // Our own bug says nothing about the target, and may be gone at the next try.
  const sign = fault.kind === "rejected" ? "answer" : "nothing";
  const verdict = isPassing || fault.kind === "broken" ? quickTry(retryAfterMs, needs) : refused;
  return { verdict, sign, retryAfterMs: 0, said };
}

const refused: Verdict = { state: "dead", reason: "refused" };

function ofOutcome(outcome: AnyOutcome): Judgement {
  // Nobody was asked: that says nothing about the target.
  if (outcome.ok && outcome.isUnsent === true)
    return { verdict: { state: "delivered", isUnsent: true }, sign: "nothing", retryAfterMs: 0, said: {} };
  if (outcome.ok) return { verdict: { state: "delivered" }, sign: "answer", retryAfterMs: 0, said: {} };
  const error = `refused: ${outcome.result}`.slice(0, longestError);
  const response = outcome.message === undefined ? {} : { response: textOfMessage(outcome.message) };
  return { verdict: refused, sign: "answer", retryAfterMs: 0, said: { error, ...response } };
}

function ofTrouble(
  entry: Entry,
  { retryAfterMs, isBusy }: { readonly retryAfterMs: number; readonly isBusy: boolean },
  needs: JudgeNeeds,
): Verdict {
  const { now, random, horizonMs } = needs;
  if (needs.triedForMs >= horizonMs && now - entry.receivedAt > horizonMs && now - needs.waitingSince() > horizonMs) {
    return { state: "dead", reason: "target-unavailable" };
  }
  // Nothing tells when a lock is given back, as the breaker does when an outage ends: it is asked every minute.
  const failures = Math.min(entry.targetFailures + 1, isBusy ? mostBusySteps : Number.POSITIVE_INFINITY);
  const delayMs = retryPlan({ failures, random, retryAfterMs });
  return { state: "retry", nextAt: now + delayMs, countsAsAttempt: false };
}

function quickTry(retryAfterMs: number, { now, random, quickTries }: JudgeNeeds): Verdict {
  if (quickTries >= mostQuickTries) return { state: "dead", reason: "exhausted" };
  return {
    state: "retry",
    nextAt: now + retryPlan({ failures: quickTries, random, retryAfterMs }),
    countsAsAttempt: true,
  };
}

const textOfMessage = (message: unknown): string =>
  (typeof message === "string" ? message : JSON.stringify(message)).slice(0, longestResponse);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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
