import { type EventId, operationRow } from "../../contract/operations.ts";
import type { NewEntry, RepeatRule } from "../../journal/entry.ts";
import { type Appended, DiskFull, type Journal } from "../../journal/journal.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { UserCount } from "../../kit/user-count.ts";
import type { Language } from "../../messages/languages.ts";
import { say } from "../../messages/message.ts";
import { type AnyOutcome, ok } from "../../operation/outcome.ts";
import type { Outbox, Reservation } from "../delivery/outbox.ts";
import { type Budgets, notOffered, settleFault, unreachable } from "../queries/call.ts";
import type { EventRoute, Routing } from "../queries/routing.ts";
import { deliverNow } from "./deliver-now.ts";
import { type EventFacts, eventFacts, repeatRule } from "./repeat-rule.ts";

export interface EventNeeds {
  readonly routing: Routing;
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly budgets: Budgets;
  readonly repeatWindowMs: number;
  /** New events are refused while it is: what is left of the disk is for the outcomes of those taken. */
  readonly isDiskFull: () => boolean;
  readonly newEntryId: () => string;
  readonly newToken: () => string;
  readonly newReference: () => string;
  readonly onTouched: () => void;
  /** Takes every secret of the configuration out of a text. */
  readonly maskSecrets?: (text: string) => string;
  readonly underWay: DeliveriesUnderWay;
  readonly users?: UserCount;
}

/** Deliveries under way by entry, for a retry of the platform that arrives before their end is stored. */
export type DeliveriesUnderWay = Map<number, Promise<AnyOutcome>>;

/** A tell on its way in: what it says, or what was found out about it in another thread, and the text it was said with. */
export type Told = ({ readonly input: unknown } | { readonly facts: EventFacts }) & {
  readonly body: string;
  /** The text to apply where the spelling of the body was not the documented one. */
  readonly payload: string | null;
  readonly language: Language;
  readonly acceptLanguage: string | null;
  readonly idempotencyKey?: string;
};

export interface EventAnswer {
  readonly outcome: AnyOutcome;
  /** To be marked when the answer has been written completely. */
  readonly given: Given | null;
}

export interface Given {
  /** The entry that is answered. */
  readonly seq: number;
  /** Whether the same again is a retry or a second piece is told by this answer having been given. */
  readonly isDistinct: boolean;
}

/** Written down before it is answered: by its delivery mode it is tried at once, or answered and delivered later. */
export function createEventHandler(needs: EventNeeds) {
  const { routing, journal, outbox, clock, underWay } = needs;

  const event = async (id: EventId, told: Told): Promise<EventAnswer> => {
    const row = operationRow(id);
    const route = routing.event(id);
    if (route === undefined) return { outcome: notOffered(row), given: null };
    if (needs.isDiskFull()) return { outcome: settleFault(row, new DiskFull(), needs), given: null };
    const { lanes, rule } = "facts" in told ? told.facts : eventFacts(id, told.input);
    const isDirect = route !== null && route.mode !== "durable";
    const reservation = isDirect ? outbox.reserve(lanes, route.target) : null;
    if (isDirect && route.mode === "direct" && reservation === null) {
      return { outcome: unreachable(row, say("general.unreachable")), given: null };
    }
    // Queued: until it is stored, nobody may take its lanes for a delivery of their own and overtake it.
    const stored = route !== null && reservation === null ? outbox.announce(lanes, route.target) : null;
    try {
      // Only a held entry is leased; a random token costs more than all the rest of this function.
      const token = reservation === null ? "" : needs.newToken();
      const repeat = repeatRule(id, rule, {
        windowMs: needs.repeatWindowMs,
        idempotencyKey: told.idempotencyKey,
      });
      const isToldByAnswer = (repeat.unnamed ?? repeat).when === "unanswered";
      // What was refused or not saved may always come again: that it was answered so tells nothing.
      const give = (seq: number, outcome: AnyOutcome): EventAnswer => ({
        outcome,
        given: { seq, isDistinct: isToldByAnswer && outcome.ok },
      });
      const [appended] = await journal.append([newEntry(id, told, { lanes, route, reservation, repeat })], token);
      if (appended === undefined) throw new Error("the journal gave no entry back");
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
        // What a resident returns is its outcome; the journal knows no more of it than `ok`.
        return give(seq, appended.outcome as AnyOutcome);
      }
      const { target } = route;
      const open = { seq, id: appended.id, topic: id, target, lanes, attempts: 1, receivedAt: clock.now(), nextAt: 0 };
      const onStored = () => underWay.delete(seq);
      const delivering = deliverNow(needs, { id, told, route, lease: { seq, token }, reservation, open, onStored });
      underWay.set(seq, delivering);
      return give(seq, await delivering);
    } catch (error) {
      reservation?.release();
      stored?.([]);
      return { outcome: settleFault(row, error, needs), given: null };
    }
  };

  const newEntry = (
    id: EventId,
    told: Told,
    {
      lanes,
      route,
      reservation,
      repeat,
    }: {
      lanes: readonly string[];
      route: EventRoute | null;
      reservation: Reservation | null;
      repeat: RepeatRule;
    },
  ): NewEntry => {
    const { body, payload, acceptLanguage } = told;
    // Kept under the name of its target: somebody may describe what to send there, and replay it.
    const target = route === null ? routing.unsent?.(id) : route.target;
    return {
      id: needs.newEntryId(),
      receivedAt: clock.now(),
      direction: "out",
      topic: id,
      lanes,
      body,
      payload,
      acceptLanguage,
      handling: route === null ? "keep" : reservation === null ? "queue" : "hold",
      ...(target === undefined ? {} : { target }),
      repeat,
    };
  };

  /** The first answer again; the one still being worked out; or, after a restart in between, a plain success. */
  const answerOfRepeat = async (
    id: EventId,
    { repeatOf, outcome }: Extract<Appended, { repeatOf: number }>,
  ): Promise<AnyOutcome> => {
    if (outcome !== null) return outcome as AnyOutcome;
    const pending = underWay.get(repeatOf);
    if (pending !== undefined) return pending;
    return ok(operationRow(id).data === undefined ? null : { updateWorkOrderRequest: null });
  };

  return event;
}

/** Told what becomes of an answer. */
export interface AnswerNotes {
  /** All of it is with the operating system; whether it arrives shows in a moment. */
  readonly written: () => void;
  /** It has been given; what it returns takes that back. */
  readonly taken: () => () => void;
  /** It was written, and is known not to have arrived. */
  readonly unread: () => void;
}

/** A connection that breaks later says nothing about an answer that had all this time to be read. */
const unreadMs = 2_000;

export const createAnswerNotes =
  (journal: Pick<Journal, "markAnswered" | "takeBackAnswered" | "noteWritten">, clock: Clock) =>
  ({ seq, isDistinct }: Given): AnswerNotes => ({
    written: () => {
      // What is recognised by its content alone does not pay for it.
      if (isDistinct) journal.noteWritten(seq, clock.now());
    },
    taken: () => {
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
