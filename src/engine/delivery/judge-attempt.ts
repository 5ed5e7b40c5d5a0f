import type { Attempt, Entry, Verdict } from "../../journal/entry.ts";
import type { CallResult } from "../../kit/circuit-breaker.ts";
import { DeadlineExceeded } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { Fault } from "../../operation/fault.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { RecordSent } from "../../operation/record-sent.ts";
import type { DeliveryProgress } from "../../sdk/connector.ts";
import type { DeliveryTarget } from "./outbox.ts";
import { retryPlan } from "./retry-plan.ts";

/** The result of an attempt: an outcome, or what was thrown. */
export type Result = { readonly outcome: AnyOutcome } | { readonly error: unknown };

export interface Judgement {
  readonly verdict: Verdict;
  /** What the attempt shows about the target as a whole. */
  readonly callResult: CallResult;
  readonly retryAfterMs: number;
  readonly record: Pick<Attempt, "status" | "error" | "response">;
}

export interface JudgeNeeds {
  readonly now: number;
  readonly random: () => number;
  /** When the entry began to wait for this delivery: when it was accepted, or the last operator action. */
  readonly waitingSince: () => number;
  /**
   * How long this process has tried the entry, on the monotonic clock: setting the clock forward does not change it.
   */
  readonly triedForMs: number;
  readonly horizonMs: number;
  /** Attempts after a temporary refusal, including this one. */
  readonly quickTries: number;
}

const mostQuickTries = 3;
/** From this step of the retry plan on, the wait for a busy target no longer grows. */
const mostBusySteps = 4;
const longestError = 2048;
const longestResponse = 4096;

/**
 * Decides whether the target or the entry is at fault. An outage does not count against an entry; a bad entry does not
 * open the breaker.
 */
export function judge(entry: Entry, result: Result, needs: JudgeNeeds): Judgement {
  if ("outcome" in result) return ofOutcome(result.outcome);
  const { error } = result;
  const fault = error instanceof Fault ? error : new Fault("broken", textOf(error), { cause: error });
  const { status, text, retryAfterMs = 0, isPassing = false, isBusy = false } = fault.answer;
  const record = {
    error: fault.message.slice(0, longestError),
    ...(status === undefined ? {} : { status }),
    ...(text === undefined ? {} : { response: text.slice(0, longestResponse) }),
  };
  if (fault.kind === "unreachable") {
    // The target answered but is busy for this entry only: other lanes continue.
    const callResult = isBusy ? "answer" : "trouble";
    return { verdict: ofTrouble(entry, { retryAfterMs, isBusy }, needs), callResult, retryAfterMs, record };
  }
  // An error in our own code shows nothing about the target, and a retry may succeed.
  const callResult = fault.kind === "rejected" ? "answer" : "nothing";
  const verdict = isPassing || fault.kind === "broken" ? quickTry(retryAfterMs, needs) : refused;
  return { verdict, callResult, retryAfterMs: 0, record };
}

const refused: Verdict = { state: "dead", reason: "refused" };

export const unsent = (reason: string | undefined): Verdict => ({
  state: "delivered",
  isUnsent: true,
  ...(reason === undefined ? {} : { reason }),
});

function ofOutcome(outcome: AnyOutcome): Judgement {
  // The target was not called, so the attempt shows nothing about it.
  if (outcome.ok && outcome.isUnsent === true)
    return { verdict: unsent(outcome.unsentBecause), callResult: "nothing", retryAfterMs: 0, record: {} };
  if (outcome.ok) return { verdict: { state: "delivered" }, callResult: "answer", retryAfterMs: 0, record: {} };
  const at = outcome.at === undefined ? "" : `${outcome.at}: `;
  // With the external system's own words: lists of entries show the error only.
  const words = typeof outcome.message === "string" ? `: ${outcome.message}` : "";
  const error = `${at}refused: ${outcome.result}${words}`.slice(0, longestError);
  const response = outcome.message === undefined ? {} : { response: textOfMessage(outcome.message) };
  return { verdict: refused, callResult: "answer", retryAfterMs: 0, record: { error, ...response } };
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
  // Unlike the end of an outage, nothing signals that a lock was released. So a busy entry is retried every minute.
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

/** Aborts a delivery whose lease is returned because the service stops. */
export class GivenBack extends Error {
  constructor() {
    super("lease returned: the service is stopping");
    this.name = "GivenBack";
  }
}

const graceMs = 1_000;

interface CallNeeds {
  readonly timers: Timers;
  readonly abort: AbortController;
  readonly record: RecordSent;
  /** Creates the progress record; `restart` starts the time limit again. */
  readonly progressBy?: (restart: DeliveryProgress["restart"]) => DeliveryProgress;
}

/**
 * Calls the target once. A missing answer becomes a fault after the deadline, whether or not the target obeys the
 * signal.
 */
export function callTarget(
  target: DeliveryTarget,
  entry: Entry,
  { timers, abort, record, progressBy }: CallNeeds,
): Promise<Result> {
  return new Promise((resolve) => {
    let isOver = false;
    let limitMs = target.timeoutMs;
    let step: string | undefined;
    const end = (result: Result) => {
      isOver = true;
      cancel();
      abort.signal.removeEventListener("abort", onAbort);
      resolve(result);
    };
    const onAbort = () => end({ error: abort.signal.reason });
    const giveUp = () => {
      if (isOver) return;
      const silence = new DeadlineExceeded(limitMs);
      const text = step === undefined ? silence.message : `${step}: ${silence.message}`;
      abort.abort(new Fault("unreachable", text, { cause: silence }));
    };
    const restart: DeliveryProgress["restart"] = (name, timeoutMs) => {
      if (isOver) return;
      cancel();
      step = name;
      // The grace period lets the connector's own time limit of the request end first.
      limitMs = timeoutMs === undefined ? target.timeoutMs : timeoutMs + graceMs;
      cancel = timers.after(limitMs, () => timers.soon(giveUp));
    };
    // Sockets are read first: after a stall of the process, the answer may have arrived and not been read yet.
    let cancel = timers.after(limitMs, () => timers.soon(giveUp));
    abort.signal.addEventListener("abort", onAbort);
    const answer = operate(target, entry, { signal: abort.signal, record, progress: progressBy?.(restart) });
    // Counts as a user beyond the deadline: a connector must not be closed while a call that ignores the signal is
    // running.
    target.users?.during(answer);
    answer.then(
      (outcome) => end({ outcome }),
      (error: unknown) => end({ error }),
    );
  });
}

interface Sending {
  readonly signal: AbortSignal;
  readonly record: RecordSent;
  readonly progress: DeliveryProgress | undefined;
}

/** An operation may throw before it returns a promise; this turns it into a rejection. */
async function operate(
  target: DeliveryTarget,
  entry: Entry,
  { signal, record, progress }: Sending,
): Promise<AnyOutcome> {
  return target.operate(entry, signal, record, progress);
}
