import { type EventId, operationRow } from "../../contract/operations.ts";
import type { Attempt, OpenEntry, Verdict } from "../../journal/entry.ts";
import { type Journal, JournalClosed, JournalDoubtful, type Lease, type Settled } from "../../journal/journal.ts";
import type { CallResult } from "../../kit/circuit-breaker.ts";
import type { UserCount } from "../../kit/current-snapshot.ts";
import { writeInTurns } from "../../kit/json/write-in-turns.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { DeadlineExceeded } from "../../kit/time/clock.ts";
import type { SteadyTime, Timers } from "../../kit/time/timers.ts";
import { type Span, type Tracing, within } from "../../kit/tracing/tracing.ts";
import type { Language } from "../../messages/languages.ts";
import type { FindSubject } from "../../operation/event-subject.ts";
import { Fault } from "../../operation/fault.ts";
import { NoAnswer } from "../../operation/no-answer.ts";
import { type AnyOutcome, appliedOutcome, ok } from "../../operation/outcome.ts";
import { asSent } from "../../operation/platform-ids.ts";
import { deliveryProgress } from "../delivery/delivery-progress.ts";
import { endAttempt, startAttempt } from "../delivery/entry-spans.ts";
import { exchangeLog } from "../delivery/exchanges/exchange-log.ts";
import { unsent } from "../delivery/judge-attempt.ts";
import type { Outbox, Reservation } from "../delivery/outbox.ts";
import { type Budgets, budgetMs, call, deliveryOf, settleFault } from "../queries/call.ts";
import type { EventRoute, Routing } from "../queries/routing.ts";
import type { EventFacts } from "./repeat-rule.ts";

export interface EventNeeds {
  readonly routing: Routing;
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly steadyTime: SteadyTime;
  readonly log: Log;
  readonly budgets: Budgets;
  readonly repeatWindowMs: number;
  /** If true, new events are refused: the remaining disk space is needed for the outcomes of accepted ones. */
  readonly isDiskFull: () => boolean;
  readonly newEntryId: () => string;
  readonly newToken: () => string;
  readonly newReference: () => string;
  readonly onTouched: () => void;
  /** Removes every secret of the configuration from a text. */
  readonly maskSecrets?: (text: string) => string;
  readonly underWay: DeliveriesUnderWay;
  /** The order and line that an event is about; absent: not known. */
  readonly findSubject?: FindSubject;
  readonly users?: UserCount;
  readonly tracing?: Tracing | undefined;
}

/** Running deliveries by entry, for a retry of the platform that arrives before their result is stored. */
export type DeliveriesUnderWay = Map<number, Promise<AnyOutcome>>;

/** An incoming event: its input, or what another thread found out about it, and its original text. */
export type IncomingEvent = ({ readonly input: unknown } | { readonly facts: EventFacts }) & {
  readonly body: string;
  /** The text to apply if the body was not in the documented spelling. */
  readonly payload: string | null;
  readonly language: Language;
  readonly acceptLanguage: string | null;
  readonly idempotencyKey?: string;
  /** The span of the call that brought it; absent: the call is not traced. */
  readonly span?: Span | undefined;
};

export interface EventAnswer {
  readonly outcome: AnyOutcome;
  /** The entry to mark when the answer has been written completely. */
  readonly given: Given | null;
}

export interface Given {
  /** The entry that is answered. */
  readonly seq: number;
  /** Whether this answer decides if the same event again is a retry or a new event. */
  readonly isDistinct: boolean;
}

export interface HeldEvent {
  readonly id: EventId;
  readonly incoming: IncomingEvent;
  readonly route: EventRoute;
  readonly lease: Lease;
  readonly reservation: Reservation;
  /** The entry as the outbox knows it, in case its delivery continues there. */
  readonly open: OpenEntry;
  /** Called when the result of the entry is stored: from then on the journal knows its answer. */
  readonly onStored: () => void;
}

/** Calls the target within the time budget while the platform waits, and settles the entry by the answer. */
export async function deliverNow(needs: EventNeeds, held: HeldEvent): Promise<AnyOutcome> {
  const { tracing } = needs;
  const span = tracing === undefined ? null : spanOf(tracing, needs, held);
  return within(tracing, span ?? undefined, () => attemptNow(needs, held, span));
}

/**
 * Null if it cannot be started. The entry is already stored and leased: if that made the event fail, the platform would
 * be told that it failed, and the entry would be delivered after the next start, behind later events of its order.
 */
function spanOf(tracing: Tracing, { journal }: EventNeeds, { lease }: HeldEvent): Span | null {
  try {
    const entry = journal.read.brief(lease.seq);
    return entry === null ? null : startAttempt(tracing, entry);
  } catch {
    // If the journal cannot be read, the attempt itself finds that out.
    return null;
  }
}

async function attemptNow(needs: EventNeeds, held: HeldEvent, span: Span | null): Promise<AnyOutcome> {
  const { route, incoming, id, lease } = held;
  const row = operationRow(id);
  const startedAt = needs.clock.now();
  const attempt = (rest: Partial<Attempt>): Attempt => ({ startedAt, endedAt: needs.clock.now(), ...rest });
  const exchanges = exchangeLog(needs);
  let step: string | undefined;
  // The platform waits, so one time budget covers all requests together. Only the name of the step is remembered.
  const restart = (name?: string) => {
    step = name;
  };
  try {
    // Inside the try, because the entry is already stored: a failed read must not make the event fail.
    const entry = needs.journal.read.brief(lease.seq);
    if (entry === null) throw new Error(`entry ${lease.seq} is not in the journal it was just written to`);
    const input = "input" in incoming ? incoming.input : await asSent(incoming);
    // Checked right before the call, as in the outbox: the next owner sends this entry, and later ones after it.
    if (!held.reservation.mayCall()) throw new Fault("unreachable", "another process delivers this entry");
    const answer = await call({
      operate: route.operate,
      input,
      language: incoming.language,
      delivery: deliveryOf({ ...entry, body: incoming.body }, needs.journal.read),
      record: exchanges.record,
      progress: deliveryProgress({ journal: needs.journal, lease, restart }),
      ...(needs.findSubject === undefined ? {} : { findSubject: needs.findSubject }),
      deadlineMs: budgetMs(row, needs.budgets),
      users: needs.users,
      onBegun: held.reservation.onAbandoned,
    });
    if (!answer.ok) {
      const refused = attempt(exchanges.whole());
      endAttempt(span, { outcome: "rejected", status: refused.status });
      return await settle({ verdict: { state: "rejected" }, attempt: refused, answer, callResult: "answer" });
    }
    // If the target's answer adds nothing, the embedded store answers; it may offer a pending change.
    const hasContent = answer.message !== undefined || hasUpdate(answer.data);
    const own = hasContent ? answer : null;
    // The platform is waiting and the delivery succeeded: recording what was sent is not worth its cost.
    const taken = attempt(exchanges.hasNotes() ? exchanges.whole() : exchanges.brief());
    const verdict: Verdict = answer.isUnsent === true ? unsent(answer.unsentBecause) : { state: "delivered" };
    endAttempt(span, { outcome: answer.isUnsent === true ? "unsent" : "delivered", status: taken.status });
    return await settle({ verdict, attempt: taken, answer: own, callResult: "answer" });
  } catch (error) {
    // The target has refused the event, and that could not be stored: it is no failed call.
    if (error instanceof NoAnswer) throw error;
    const callResult = callResultOf(error);
    const isSilent = callResult !== "answer" || isBusy(error);
    const isLate = error instanceof Fault && error.cause instanceof DeadlineExceeded;
    const text = isLate && step !== undefined ? `${step}: ${describe(error)}` : describe(error);
    const failed = attempt({ ...exchanges.whole(), error: text, ...statusOf(error) });
    const isContinued = isSilent && route.mode === "direct-then-durable";
    endAttempt(span, { outcome: isContinued ? "accepted" : "rejected", status: failed.status, error });
    if (isContinued) {
      return settle({ verdict: { state: "accepted" }, attempt: failed, answer: null, callResult });
    }
    const verdict: Verdict = isSilent ? { state: "rejected", reason: "ambiguous" } : { state: "rejected" };
    return settle({ verdict, attempt: failed, answer: settleFault(row, error, needs), callResult });
  }

  function settle(end: End): Promise<AnyOutcome> {
    return endHeld(needs, held, end);
  }
}

/** How an inline delivery ended. */
interface End {
  readonly verdict: Verdict;
  readonly attempt: Attempt;
  /** The target's own answer to the platform; null leaves the answer to the embedded store. */
  readonly answer: AnyOutcome | null;
  readonly callResult: CallResult;
}

/**
 * Stores the result after the target has answered. If the disk refuses it now, the platform still gets the answer, and
 * the entry keeps its lanes until the result is stored, so nothing overtakes it.
 */
async function endHeld(needs: EventNeeds, held: HeldEvent, end: End): Promise<AnyOutcome> {
  const { id, lease } = held;
  const { verdict, attempt, answer } = end;
  // The update of a long order has megabytes.
  const text = answer === null ? undefined : await writeInTurns(answer);
  const store = () => needs.journal.settle(lease, verdict, attempt, text);
  const settled = await store().then(
    (stored) => finish(needs, held, end, stored),
    (error: unknown) => {
      void retryUntilDone(needs, store, (stored) => finish(needs, held, end, stored));
      // The next owner delivers the entry, because it does not know of the refusal. So the platform must not get the
      // refusal either: it sends the event again, and gets the result of that delivery.
      const isElsewhere = error instanceof JournalDoubtful || !held.reservation.mayCall();
      if (isElsewhere && answer?.ok === false) throw new NoAnswer("the refusal is not stored", { cause: error });
      return null;
    },
  );
  if (answer !== null) return answer;
  // The embedded store's answer, if the store applied the event. Its refusal is ignored, because the target has
  // accepted the event.
  const booked = settled?.applied?.outcome;
  return booked?.ok === true
    ? appliedOutcome(booked)
    : ok(operationRow(id).data === undefined ? null : { updateWorkOrderRequest: null });
}

function finish(needs: EventNeeds, held: HeldEvent, { verdict, callResult, attempt }: End, settled: Settled): Settled {
  held.onStored();
  needs.outbox.add(settled.emitted);
  if (settled.applied?.touched) needs.onTouched();
  // Not done means that the lease was taken over and the entry may be open again. The outbox checks it before sending.
  const isOpen = verdict.state === "accepted" || !settled.done;
  held.reservation.release(isOpen ? held.open : null, callResult, attempt.endedAt - attempt.startedAt);
  return settled;
}

const againMs = 250;

/**
 * Retries until the result is stored. Ends when the journal closes: the next start voids the lease and delivers again.
 */
async function retryUntilDone(needs: EventNeeds, store: () => Promise<Settled>, then: (settled: Settled) => void) {
  for (;;) {
    await new Promise<void>((resolve) => needs.timers.after(againMs, resolve));
    try {
      return then(await store());
    } catch (error) {
      if (error instanceof JournalClosed || needs.journal.failure() !== null) return;
    }
  }
}

const hasUpdate = (data: unknown): boolean =>
  typeof data === "object" &&
  data !== null &&
  // The line above made sure that it is an object; the member itself may be missing.
  (data as { updateWorkOrderRequest?: unknown }).updateWorkOrderRequest != null;

function callResultOf(error: unknown): CallResult {
  if (!(error instanceof Fault)) return "nothing";
  if (error.kind === "unreachable") return isBusy(error) ? "answer" : "trouble";
  return error.kind === "rejected" ? "answer" : "nothing";
}

/** The target was reached but is busy for this entry: nothing was refused, and a retry may succeed. */
const isBusy = (error: unknown): boolean =>
  error instanceof Fault && error.kind === "unreachable" && error.answer.isBusy === true;

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 2000);

function statusOf(error: unknown): Pick<Attempt, "status" | "response"> {
  if (!(error instanceof Fault)) return {};
  const { status, text } = error.answer;
  return {
    ...(status === undefined ? {} : { status }),
    ...(text === undefined ? {} : { response: text.slice(0, 4000) }),
  };
}
