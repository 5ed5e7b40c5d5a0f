import { type EventId, operationRow } from "../../contract/operations.ts";
import type { NewEntry, RepeatRule } from "../../journal/entry.ts";
import type { AppliedOutcome } from "../../journal/inline-projection.ts";
import { type Appended, DiskFull, type Journal, JournalDoubtful } from "../../journal/journal.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { within } from "../../kit/tracing/tracing.ts";
import { say } from "../../messages/message.ts";
import { NoAnswer } from "../../operation/no-answer.ts";
import { type AnyOutcome, appliedOutcome, ok } from "../../operation/outcome.ts";
import { endStoring, failStoring, type StoreSpan, startStoringOne } from "../delivery/entry-spans.ts";
import type { Reservation } from "../delivery/outbox.ts";
import { notOffered, settleFault, unreachable } from "../queries/call.ts";
import type { EventRoute } from "../queries/routing.ts";
import { deliverNow, type EventAnswer, type EventNeeds, type Given, type IncomingEvent } from "./deliver-now.ts";
import { eventFacts, repeatRule } from "./repeat-rule.ts";

/**
 * Stores the event before it is answered. Its delivery mode decides whether it is delivered at once or after the
 * answer.
 */
export function createEventHandler(needs: EventNeeds) {
  const { routing, journal, outbox, clock, underWay } = needs;

  const event = async (id: EventId, incoming: IncomingEvent): Promise<EventAnswer> => {
    const row = operationRow(id);
    const route = routing.event(id);
    if (route === undefined) return { outcome: notOffered(row), given: null };
    if (needs.isDiskFull()) return { outcome: settleFault(row, new DiskFull(), needs), given: null };
    const { lanes, rule } = "facts" in incoming ? incoming.facts : eventFacts(id, incoming.input);
    const isDirect = route !== null && route.mode !== "durable";
    const reservation = isDirect ? outbox.reserve(lanes, route.target) : null;
    if (isDirect && route.mode === "direct" && reservation === null) {
      return { outcome: unreachable(row, say("general.unreachable")), given: null };
    }
    // The event will be queued. Until it is stored, no other caller may reserve its lanes and overtake it.
    const stored = route !== null && reservation === null ? outbox.announce(lanes, route.target) : null;
    let storing: StoreSpan | null = null;
    try {
      // Only an entry that is delivered now is leased. Otherwise no token is created, because that costs more than the
      // rest of this function.
      const token = reservation === null ? "" : needs.newToken();
      const repeat = repeatRule(id, rule, {
        windowMs: needs.repeatWindowMs,
        clockMs: needs.steadyTime.clockMs,
        idempotencyKey: incoming.idempotencyKey,
      });
      const dependsOnAnswer = (repeat.unnamed ?? repeat).when === "unanswered";
      // An event that was refused or not stored may be sent again at any time, so its answer decides nothing.
      const give = (seq: number, outcome: AnyOutcome): EventAnswer => ({
        outcome,
        given: { seq, isDistinct: dependsOnAnswer && outcome.ok },
      });
      // An event without a configured request is stored with its target too: a request may be configured later, and the
      // entry retried.
      const target = route === null ? (routing.unsent?.(id) ?? null) : route.target;
      if (needs.tracing !== undefined) storing = startStoringOne(needs.tracing, id, target, incoming.span);
      const trace = storing?.trace;
      const entry = newEntry(id, incoming, { lanes, route, target, reservation, repeat, trace });
      const [appended] = await journal.append([entry], token);
      if (storing !== null) endStoring(storing, appended);
      storing = null;
      if (appended === undefined) throw new Error("the journal returned no entry");
      if (appended.touched) needs.onTouched();
      if ("repeatOf" in appended) {
        reservation?.release();
        stored?.([]);
        return give(appended.repeatOf, await answerOfRepeat(id, appended));
      }
      outbox.add(appended.emitted);
      const { seq } = appended;
      if (route === null || reservation === null || appended.state === "rejected") {
        reservation?.release();
        stored?.(appended.open === null ? [] : [appended.open]);
        return give(seq, outcomeOf(appended.outcome));
      }
      const open = {
        ...{ seq, id: appended.id, topic: id, target: route.target, lanes },
        ...{ attempts: 1, receivedAt: clock.now(), nextAt: 0 },
      };
      const onStored = () => underWay.delete(seq);
      const held = { id, incoming, route, lease: { seq, token }, reservation, open, onStored };
      const delivering = within(needs.tracing, incoming.span, () => deliverNow(needs, held));
      underWay.set(seq, delivering);
      return give(seq, await delivering);
    } catch (error) {
      // Another process makes this delivery now. The lanes stay reserved until this process closes.
      if (error instanceof NoAnswer) throw error;
      failStoring(storing, error);
      reservation?.release();
      stored?.([]);
      // The event may have been stored. Then a refusal would be wrong, so the caller gets no answer.
      if (error instanceof JournalDoubtful) throw new NoAnswer(error.message, { cause: error });
      const outcome = within(needs.tracing, incoming.span, () => settleFault(row, error, needs));
      return { outcome, given: null };
    }
  };

  const newEntry = (
    id: EventId,
    incoming: IncomingEvent,
    {
      lanes,
      route,
      target,
      reservation,
      repeat,
      trace,
    }: {
      lanes: readonly string[];
      route: EventRoute | null;
      target: string | null;
      reservation: Reservation | null;
      repeat: RepeatRule;
      trace: string | undefined;
    },
  ): NewEntry => {
    const { body, payload, acceptLanguage } = incoming;
    const entry: NewEntry & { trace?: string } = {
      id: needs.newEntryId(),
      receivedAt: clock.now(),
      direction: "out",
      topic: id,
      lanes,
      body,
      payload,
      acceptLanguage,
      handling: route === null ? "keep" : reservation === null ? "queue" : "hold",
      ...(target === null ? {} : { target }),
      repeat,
    };
    // Set afterwards: a copy with one more member would cost as much as a span.
    if (trace !== undefined) entry.trace = trace;
    return entry;
  };

  /**
   * Returns the first answer again, or waits for the answer that is still being computed. If a restart came in between,
   * it returns a plain success.
   */
  const answerOfRepeat = async (
    id: EventId,
    { repeatOf, outcome }: Extract<Appended, { repeatOf: number }>,
  ): Promise<AnyOutcome> => {
    if (outcome !== null) return outcomeOf(outcome);
    const pending = underWay.get(repeatOf);
    if (pending !== undefined) return pending;
    return ok(operationRow(id).data === undefined ? null : { updateWorkOrderRequest: null });
  };

  return event;
}

/** Receives what became of an answer. */
export interface AnswerNotes {
  /** Called when the operating system has the complete answer; whether it arrived is known a moment later. */
  readonly written: () => void;
  /** Called when the answer has arrived. The returned function withdraws that. */
  readonly arrived: () => () => void;
  /** Called when the answer was written but is known not to have arrived. */
  readonly unread: () => void;
}

/**
 * If the connection breaks later than this, the answer counts as arrived, because the platform had enough time to read
 * it.
 */
const unreadMs = 2_000;

export const createAnswerNotes =
  (journal: Pick<Journal, "markAnswered" | "takeBackAnswered" | "noteWritten">, clock: Clock) =>
  ({ seq, isDistinct }: Given): AnswerNotes => ({
    written: () => {
      // The note is not needed for events that are recognised by their content alone.
      if (isDistinct) journal.noteWritten(seq, clock.now());
    },
    arrived: () => {
      const at = clock.now();
      journal.markAnswered(seq, at);
      return () => {
        if (clock.now() - at <= unreadMs) journal.takeBackAnswered(seq, at);
      };
    },
    unread: () => {
      if (isDistinct) journal.noteWritten(seq, null);
    },
  });

/** Marks answers as arrived where an earlier owner may not have stored the mark; marks that exist are not changed. */
export function noteArrived(
  journal: Pick<Journal, "markAnswered" | "read">,
  clock: Clock,
  seqs: readonly number[],
): void {
  for (const seq of seqs) if (journal.read.brief(seq)?.answeredAt === null) journal.markAnswered(seq, clock.now());
}

/** Nearly no outcome has long data, and the usual one is not copied. */
const outcomeOf = (outcome: AppliedOutcome): AnyOutcome =>
  // An inline projection returns an outcome of the operation; the journal only knows its `ok`.
  outcome.dataText === undefined ? (outcome as AnyOutcome) : appliedOutcome(outcome);
