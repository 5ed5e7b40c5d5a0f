import { setImmediate as nextTurn } from "node:timers/promises";
import type { Attempt, Entry, OpenEntry, Verdict } from "../../journal/entry.ts";
import type { Lease } from "../../journal/journal.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Span } from "../../kit/tracing/tracing.ts";
import type { DeliveryProgress } from "../../sdk/connector.ts";
import { deliveryProgress } from "./delivery-progress.ts";
import { endAttempt, startAttempt } from "./entry-spans.ts";
import { exchangeLog } from "./exchanges/exchange-log.ts";
import { callTarget, GivenBack, type JudgeNeeds, judge } from "./judge-attempt.ts";
import type { DeliveryTarget, OutboxNeeds } from "./outbox.ts";
import type { TargetLine } from "./target-line.ts";
import type { Item, Window } from "./window.ts";

export interface DelivererNeeds extends Omit<OutboxNeeds, "targets" | "settings"> {
  readonly horizonMs: number;
  readonly mayDeliver: () => boolean;
  /** Whether the service has stopped; nothing is retried then. */
  readonly isOver: () => boolean;
  /** Called when the target may be called for another entry. */
  readonly onCallEnded: () => void;
  readonly window: Window;
  readonly add: (entries: readonly OpenEntry[]) => void;
  readonly putBack: (open: OpenEntry) => void;
}

/** An entry that is leased for one attempt. */
interface Leased {
  readonly item: Item;
  readonly line: Pick<TargetLine, "ended">;
  readonly entry: Entry;
  readonly token: string;
}

interface Attempting extends Leased {
  readonly abort: AbortController;
  readonly target: DeliveryTarget;
  /** Null if nothing is traced. */
  readonly span: Span | null;
}

const longBody = 64 * 1024;
/** Wait before an open entry that could not be started is tried again. */
const checkAgainMs = 1_000;

/** One delivery from lease to verdict: start, call, settle, then update the window. */
export function deliverer(needs: DelivererNeeds) {
  const { journal, clock, timers, random, log, window, tracing } = needs;

  return async (item: Item, targetLine: TargetLine, abort: AbortController): Promise<void> => {
    const line = endedOnce(targetLine);
    let leased: Leased | null = null;
    try {
      const { seq } = item.open;
      const token = needs.newToken();
      const entry = await retryUntilDone(() => journal.start(seq, token, clock.now()), needs);
      if (entry === undefined) return line.ended("nothing");
      if (entry === null) {
        line.ended("nothing");
        return await checkAgain(item);
      }
      leased = { item, line, entry, token };
      // Receiving megabytes from the writer has already used this turn.
      if (entry.body.length > longBody) await nextTurn();
      const target = targetLine.target();
      // Checked right before the call. If this process was paused and another one took over, the entry would arrive
      // after later events of its order.
      if (target === null || !needs.mayDeliver()) {
        line.ended("nothing");
        // Still leased, it would not be found as open, and later events of its order would overtake it.
        return (await giveBack({ seq, token })) ? await checkAgain(item) : undefined;
      }
      const span = startAttempt(tracing, entry);
      const attempting = { ...leased, abort, target, span };
      const run = () => attempt(attempting);
      await (span === null || tracing === undefined ? run() : tracing.within(span, run));
    } catch (error) {
      await recover({ item, line, leased }, error);
    }
  };

  /**
   * Called after an error of our own, which counts like one in a connector. Without this the entry would stay leased,
   * and everything behind it would wait until the next start.
   */
  async function recover(
    { item, line, leased }: Pick<Leased, "item" | "line"> & { readonly leased: Leased | null },
    error: unknown,
  ): Promise<void> {
    log.error(
      { err: error, seq: item.open.seq, ...(leased === null ? {} : { id: leased.entry.id }) },
      "a delivery failed with an unexpected error",
    );
    line.ended("nothing");
    // Nothing was begun, so there is no attempt to store.
    if (leased === null) return checkAgain(item);
    const now = clock.now();
    const { verdict, record } = judge(leased.entry, { error }, judgeNeeds(item, leased.entry, now));
    await conclude(leased, verdict, { startedAt: now, endedAt: now, ...record });
  }

  function judgeNeeds(item: Item, entry: Entry, now: number): JudgeNeeds {
    return {
      now,
      random,
      waitingSince: () => waitingSince(entry),
      triedForMs: timers.passed() - (item.troubledSince ?? timers.passed()),
      horizonMs: needs.horizonMs,
      quickTries: item.quickTries + 1,
    };
  }

  async function attempt(attempting: Attempting): Promise<void> {
    const { item, line, abort, entry, token, target, span } = attempting;
    const { seq } = entry;
    const startedAt = clock.now();
    const startedPassed = timers.passed();
    const exchanges = exchangeLog(needs);
    const progressBy = (restart: DeliveryProgress["restart"]) =>
      deliveryProgress({ journal, lease: { seq, token }, restart });
    const result = await callTarget(target, entry, { timers, abort, record: exchanges.record, progressBy });
    const endedAt = clock.now();
    const calledMs = timers.passed() - startedPassed;
    if ("error" in result && result.error instanceof GivenBack) {
      line.ended("nothing");
      // It is unknown whether the entry arrived; after the next start it is delivered again with the same id.
      endAttempt(span, { outcome: "given back", error: result.error });
      const given: Attempt = { startedAt, endedAt, ...exchanges.whole(), error: result.error.message };
      await retryUntilDone(() => journal.settle({ seq, token }, { state: "accepted" }, given), needs);
      return;
    }
    item.troubledSince ??= timers.passed();
    const { verdict, callResult, retryAfterMs, record } = judge(entry, result, judgeNeeds(item, entry, endedAt));
    const isUnsent = verdict.state === "delivered" && verdict.isUnsent === true;
    // An attempt that sent nothing is stored only if it has notes about what was skipped and why.
    const made: Attempt | null =
      isUnsent && !exchanges.hasNotes() ? null : { startedAt, endedAt, ...exchanges.whole(), ...record };
    if (made !== null) {
      report(entry, verdict, made);
      needs.onAttempt?.(item.open.target, verdict.state, calledMs);
    }
    const error = "error" in result ? result.error : undefined;
    endAttempt(span, { outcome: isUnsent ? "unsent" : verdict.state, status: made?.status, error });
    // The call is over, so the target may take another one while this result is stored. The lanes stay held.
    line.ended(callResult, retryAfterMs);
    needs.onCallEnded();
    await conclude(attempting, verdict, made);
  }

  /** Stores the result and updates the window. */
  async function conclude({ item, entry, token }: Leased, verdict: Verdict, made: Attempt | null): Promise<void> {
    const { seq } = entry;
    const settled = await retryUntilDone(() => journal.settle({ seq, token }, verdict, made), needs);
    if (settled === undefined) return;
    if (!settled.done) {
      log.warn({ seq, id: entry.id }, "the delivery was already settled elsewhere; its result is dropped");
      return checkAgain(item);
    }
    if (settled.applied?.touched === true) needs.onTouched();
    needs.add(settled.emitted);
    follow(item, verdict, { now: made?.endedAt ?? clock.now(), isState: entry.isState });
  }

  /** Returns the lease of an entry that was not sent; false if the service stopped first. */
  async function giveBack(lease: Lease): Promise<boolean> {
    const settled = await retryUntilDone(() => journal.settle(lease, { state: "accepted" }, null), needs);
    return settled !== undefined;
  }

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

  /**
   * Reads the entry's state from the journal, and drops it from memory unless it is still open and first in its lanes.
   */
  async function checkAgain(item: Item): Promise<void> {
    const { seq } = item.open;
    // Reads the journal before the entry is dropped. If the journal is unreadable, a dropped entry would be overtaken
    // by later ones and sent only after the next start.
    const found = await retryUntilDone(async () => journal.read.open(seq - 1, 1), needs);
    if (found === undefined) return;
    window.forget(item);
    const [open] = found;
    if (open?.seq === seq) needs.putBack({ ...open, nextAt: clock.now() + checkAgainMs });
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

/** The line, where only the first end of a call counts. */
function endedOnce(line: TargetLine): Pick<TargetLine, "ended"> {
  let isEnded = false;
  return {
    ended: (result, retryAfterMs) => {
      if (isEnded) return;
      // Set first: a line that fails here has counted the call already.
      isEnded = true;
      line.ended(result, retryAfterMs);
    },
  };
}

interface RetryUntilDoneNeeds {
  readonly timers: Timers;
  readonly log: Log;
  /** Whether the service has stopped, so that retrying is useless. */
  readonly isOver: () => boolean;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Retries a journal operation until it succeeds: a full disk is temporary, and memory must not get ahead of what is
 * stored. Undefined if the service stopped first.
 */
async function retryUntilDone<T>(
  operation: () => Promise<T>,
  { timers, log, isOver }: RetryUntilDoneNeeds,
): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await operation();
    } catch (error) {
      if (isOver()) return undefined;
      log.error({ err: error, retryInMs: waitMs }, "a delivery step could not be stored in the journal; trying again");
      await new Promise<void>((resolve) => timers.after(waitMs, resolve));
    }
  }
}
