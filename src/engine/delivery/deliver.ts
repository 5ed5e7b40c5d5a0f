import type { Attempt, Entry, OpenEntry, Verdict } from "../../journal/entry.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { DeliveryProgress } from "../../sdk/connector.ts";
import { deliveryProgress } from "./delivery-progress.ts";
import { exchangeLog } from "./exchanges/exchange-log.ts";
import { callTarget, GivenBack, judge } from "./judge-attempt.ts";
import type { OutboxNeeds } from "./outbox.ts";
import type { TargetLine } from "./target-line.ts";
import type { Item, Window } from "./window.ts";

export interface DelivererNeeds extends Omit<OutboxNeeds, "targets" | "settings"> {
  readonly horizonMs: number;
  /** The service has stopped: nothing is retried. */
  readonly isOver: () => boolean;
  /** The target may be called for another entry now. */
  readonly onCallEnded: () => void;
  readonly window: Window;
  readonly add: (entries: readonly OpenEntry[]) => void;
  readonly putBack: (open: OpenEntry) => void;
}

/** When an entry that is open could not be started, it is tried again after this time. */
const lookAgainMs = 1_000;

/** One delivery from lease to verdict: start, call, settle, then update the window. */
export function deliverer(needs: DelivererNeeds) {
  const { journal, clock, timers, random, log, window } = needs;

  return async (item: Item, line: TargetLine, abort: AbortController): Promise<void> => {
    const { seq } = item.open;
    const token = needs.newToken();
    const entry = await retryUntilDone(() => journal.start(seq, token, clock.now()), needs);
    if (entry === undefined) return line.ended("nothing");
    const target = line.target();
    // Right before the call: sent by a process that was paused, it would arrive after later events of its order.
    if (entry === null || target === null || needs.mayDeliver?.() === false) {
      line.ended("nothing");
      return lookAgain(item);
    }
    const startedAt = clock.now();
    const exchanges = exchangeLog(needs);
    const progressBy = (restart: DeliveryProgress["restart"]) =>
      deliveryProgress({ journal, lease: { seq, token }, restart });
    const result = await callTarget(target, entry, { timers, abort, record: exchanges.record, progressBy });
    const endedAt = clock.now();
    if ("error" in result && result.error instanceof GivenBack) {
      line.ended("nothing");
      // Whether it arrived is unknown; after the next start it is delivered again with the same id.
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
    // What was skipped, and why, is shown.
    const attempt: Attempt | null =
      isUnsent && !exchanges.hasNotes() ? null : { startedAt, endedAt, ...exchanges.whole(), ...said };
    if (attempt !== null) {
      report(entry, verdict, attempt);
      needs.onAttempt?.(item.open.target, verdict.state);
    }
    // The call is over, so the target may take another one while this result is stored. The lanes stay held.
    line.ended(sign, retryAfterMs);
    needs.onCallEnded();
    const settled = await retryUntilDone(() => journal.settle({ seq, token }, verdict, attempt), needs);
    if (settled === undefined) return;
    if (!settled.done) {
      log.warn({ seq, id: entry.id }, "the delivery was already settled elsewhere; its result is dropped");
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
    // A refused state does not block its lane, because the next state replaces it completely.
    if (verdict.state === "dead" && !isState) window.forgetBehind(item);
    window.forget(item);
  }

  /** Reads the entry's state from the journal, and drops it from memory unless it is still open and first in its lanes. */
  async function lookAgain(item: Item): Promise<void> {
    const { seq } = item.open;
    // The journal is read first. Dropped while the journal is unreadable, the entry would be overtaken and sent after
    // the next start.
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
      log.error({ ...fields, error, reason: verdict.reason }, "delivery failed permanently; operator action required");
    else if (verdict.state === "retry") log.warn({ ...fields, error }, "delivery failed; it will be retried");
    else log.debug(fields, "delivered");
  }
}

interface RetryUntilDoneNeeds {
  readonly timers: Timers;
  readonly log: Log;
  /** True if retrying is useless because the service has stopped. */
  readonly isOver: () => boolean;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Retries a journal operation until it succeeds: a full disk is temporary, and memory must not get ahead of what is
 * stored. Undefined if the service stopped first.
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
      log.error({ err: error, retryInMs: waitMs }, "a delivery step could not be stored in the journal; trying again");
      await new Promise<void>((resolve) => timers.after(waitMs, resolve));
    }
  }
}
