import type { Attempt, Entry, OpenEntry, Verdict } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Item } from "./delivery-lane.ts";
import { exchangeLog } from "./exchanges/exchange-log.ts";
import { callTarget, GivenBack, judge } from "./judge-attempt.ts";
import type { TargetLine } from "./target-line.ts";
import type { Window } from "./window.ts";

export interface DelivererNeeds {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
  readonly newToken: () => string;
  readonly onTouched: () => void;
  readonly onAttempt?: OnAttempt;
  /** Takes every secret of the configuration out of a text. */
  readonly maskSecrets?: (text: string) => string;
  readonly horizonMs: number;
  /** The service has stopped: nothing is tried again. */
  readonly isOver: () => boolean;
  /** Somebody else may call the target now. */
  readonly onCallEnded: () => void;
  readonly window: Window;
  readonly add: (entries: readonly OpenEntry[]) => void;
  readonly putBack: (open: OpenEntry) => void;
}

/** `answered` and `unanswered` while the platform waited; the others are verdicts on what was queued. */
export type AttemptOutcome = Verdict["state"] | "answered" | "unanswered";
export type OnAttempt = (target: string, outcome: AttemptOutcome) => void;

/** An entry that could not be started although it is open is looked at again after this time. */
const lookAgainMs = 1_000;

/** One delivery from lease to verdict: start, call, settle, and what follows for the window. */
export function deliverer(needs: DelivererNeeds) {
  const { journal, clock, timers, random, log, window } = needs;

  return async (item: Item, line: TargetLine, abort: AbortController): Promise<void> => {
    const { seq } = item.open;
    const token = needs.newToken();
    const entry = await retryUntilDone(() => journal.start(seq, token), needs);
    if (entry === undefined) return line.ended("nothing");
    const target = line.target();
    if (entry === null || target === null) {
      line.ended("nothing");
      return lookAgain(item);
    }
    const startedAt = clock.now();
    const exchanges = exchangeLog(needs);
    const result = await callTarget(target, entry, { timers, abort, record: exchanges.record });
    const endedAt = clock.now();
    if ("error" in result && result.error instanceof GivenBack) {
      line.ended("nothing");
      // Whether it arrived is not known; it goes on under its id at the next start.
      const given: Attempt = { startedAt, endedAt, ...exchanges.whole(), error: result.error.message };
      await retryUntilDone(() => journal.settle({ seq, token }, { state: "accepted" }, given), needs);
      return;
    }
    item.troubledSince ??= timers.passed();
    const { verdict, sign, retryAfterMs, said } = judge(entry, result, {
      now: endedAt,
      random,
      waitingSince: () => waitingSince(entry),
      triedForMs: timers.passed() - item.troubledSince,
      horizonMs: needs.horizonMs,
      quickTries: item.quickTries + 1,
    });
    const isUnsent = verdict.state === "delivered" && verdict.isUnsent === true;
    const attempt: Attempt | null = isUnsent ? null : { startedAt, endedAt, ...exchanges.whole(), ...said };
    if (attempt !== null) {
      report(entry, verdict, attempt);
      needs.onAttempt?.(item.open.target, verdict.state);
    }
    // The target is done with it: the next may call while this one is being written down. Its lanes stay held.
    line.ended(sign, retryAfterMs);
    needs.onCallEnded();
    const settled = await retryUntilDone(() => journal.settle({ seq, token }, verdict, attempt), needs);
    if (settled === undefined) return;
    if (!settled.done) {
      log.warn({ seq, id: entry.id }, "the delivery was settled by somebody else; its result is dropped");
      return lookAgain(item);
    }
    if (settled.applied?.touched === true) needs.onTouched();
    needs.add(settled.emitted);
    follow(item, verdict, { now: endedAt, isState: entry.isState });
  };

  function follow(item: Item, verdict: Verdict, { now, isState }: { now: number; isState: boolean }): void {
    if (verdict.state === "retry") {
      item.open = {
        ...item.open,
        attempts: item.open.attempts + (verdict.countsAsAttempt ? 1 : 0),
        nextAt: verdict.nextAt,
      };
      item.dueAt = verdict.nextAt;
      item.delayMs = verdict.nextAt - now;
      item.isTroubled = !verdict.countsAsAttempt;
      if (verdict.countsAsAttempt) item.quickTries++;
      window.giveBack(item);
      return;
    }
    // A state that was refused holds up nobody, for the next one says all of it anew.
    if (verdict.state === "dead" && !isState) window.forgetBehind(item);
    window.forget(item);
  }

  /** The journal knows better than memory: it is forgotten unless it is still open and nothing is in its way. */
  async function lookAgain(item: Item): Promise<void> {
    const { seq } = item.open;
    // Asked first: forgotten while the journal cannot be read, it would be overtaken, and sent after the next start.
    const found = await retryUntilDone(async () => journal.read.open(seq - 1, 1), needs);
    if (found === undefined) return;
    window.forget(item);
    const [open] = found;
    if (open?.seq === seq) needs.putBack({ ...open, nextAt: clock.now() + lookAgainMs });
  }

  function waitingSince(entry: Entry): number {
    return Math.max(entry.receivedAt, ...journal.read.audit(entry.seq).map(({ at }) => at));
  }

  function report({ seq, id, target, topic }: Entry, verdict: Verdict, { error, status }: Attempt): void {
    const fields = { seq, id, target, topic, ...(status === undefined ? {} : { status }) };
    if (verdict.state === "dead")
      log.error({ ...fields, error, reason: verdict.reason }, "an entry waits for a person");
    else if (verdict.state === "retry") log.warn({ ...fields, error }, "a delivery failed and is tried again");
    else log.debug(fields, "delivered");
  }
}

interface RetryUntilDoneNeeds {
  readonly timers: Timers;
  readonly log: Log;
  /** True where it is no use to go on: the service has stopped. */
  readonly isOver: () => boolean;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Asks the journal until it answers: a disk that is full now will not be for ever, and what is in memory
 * must not get ahead of what is stored. Undefined where it was over before there was an answer.
 */
async function retryUntilDone<T>(
  query: () => Promise<T>,
  { timers, log, isOver }: RetryUntilDoneNeeds,
): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await query();
    } catch (error) {
      if (isOver()) return undefined;
      log.error({ err: error, retryInMs: waitMs }, "the journal did not take a step of a delivery; trying again");
      await new Promise<void>((resolve) => timers.after(waitMs, resolve));
    }
  }
}
