import type { Journal } from "../../journal/journal.ts";
import type { UserCount } from "../../kit/current-snapshot.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Language } from "../../messages/languages.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { Budgets } from "../queries/call.ts";
import type { Routing } from "../queries/routing.ts";
import type { EventFacts } from "./repeat-rule.ts";

export interface EventNeeds {
  readonly routing: Routing;
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly timers: Timers;
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
  readonly users?: UserCount;
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
};

export interface EventAnswer {
  readonly outcome: AnyOutcome;
  /** To be marked when the answer has been written completely. */
  readonly given: Given | null;
}

export interface Given {
  /** The entry that is answered. */
  readonly seq: number;
  /** Whether this answer decides if the same event again is a retry or a new event. */
  readonly isDistinct: boolean;
}
