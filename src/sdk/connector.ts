import type { Static, TObject } from "typebox";
import { type DerivedEventId, derivedEventIds, type derivedEvents } from "../contract/derived-events.ts";
import {
  type EventId,
  type InputOf,
  type OfferedId,
  operationIds,
  operationRow,
  type QueryId,
} from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import type { Log } from "../kit/log.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import type { TraceHeaders } from "../kit/tracing/trace-context.ts";
import type { Tracing } from "../kit/tracing/tracing.ts";
import type { Language } from "../messages/languages.ts";
import type { DateSettings } from "../operation/dates.ts";
import type { FindSubject } from "../operation/event-subject.ts";
import type { OptionProblem } from "../operation/option-problem.ts";
import type { AnyOutcome, Outcome } from "../operation/outcome.ts";
import type { RecordSent } from "../operation/record-sent.ts";
import type { PushSource } from "./intake.ts";

/** What an operation may use while it answers one call. */
export interface CallContext {
  readonly language: Language;
  readonly signal: AbortSignal;
  /** Set for events: the entry that is being delivered, and which attempt this is. */
  readonly delivery?: Delivery;
  /** For an event: records what is really sent and answered. The attempt in the journal shows it. */
  readonly record?: RecordSent;
  /** For an event: what earlier attempts have done, and notes for later ones. */
  readonly progress?: DeliveryProgress;
  /** For an event: the order and the line that it, or an element of it, is about. */
  readonly findSubject?: FindSubject;
  /** W3C headers of the trace that this call belongs to. Send them with requests. Undefined if nothing is traced. */
  readonly trace?: TraceHeaders | undefined;
}

/** The stored progress of a delivery that takes several requests. */
export interface DeliveryProgress {
  /** The notes of earlier attempts, by key. */
  readonly noted: () => ReadonlyMap<string, string>;
  /**
   * Stores notes; a note with the same key replaces the earlier one. They are on the disk when it resolves. Throws if
   * the delivery must stop here.
   */
  readonly note: (marks: readonly ProgressMark[]) => Promise<void>;
  /** Whether an earlier attempt may have sent something. */
  readonly wasTried: () => boolean;
  /**
   * Restarts the time limit, which then applies to each request and not to all of them together. The step is named if
   * the limit is exceeded.
   */
  readonly restart: (step?: string, timeoutMs?: number) => void;
}

export interface ProgressMark {
  readonly key: string;
  readonly value: string;
}

/** A journal entry on its way to the external system. */
export interface Delivery {
  /** The idempotency key for the external system: the same on every attempt, forever. */
  readonly entryId: string;
  readonly seq: number;
  readonly topic: string;
  /** The JSON text as it was received. */
  readonly body: string;
  readonly receivedAt: number;
  /** Counted from 1. */
  readonly attempt: number;
  /** How often an operator has sent it again after it was delivered; usually 0. */
  readonly replay: number;
  /** The lanes of the entry (order or container) and its position in each: a gap means that an entry was skipped. */
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  /** The id of an earlier entry with the same content, if this one may be a repeat of it. */
  readonly possibleRepeatOf?: string;
}

export type Operate<Id extends OfferedId> = (
  input: InputOf<Id>,
  context: CallContext,
) => Outcome<Id> | Promise<Outcome<Id>>;

/** The queries that a connector answers, by operation. */
export type Queries = { readonly [Id in QueryId]?: Operate<Id> };
/** The events that a connector accepts, by operation. */
export type Events = { readonly [Id in EventId]?: Operate<Id> };

/** The derived events that a connector accepts. */
export type DerivedEvents = {
  readonly [Id in DerivedEventId]?: (
    input: Static<(typeof derivedEvents)[Id]["body"]>,
    context: CallContext,
  ) => AnyOutcome | Promise<AnyOutcome>;
};

/** An opened connector: only the operations it offers. */
export interface OpenConnector {
  readonly operations: Queries & Events;
  /** Accepts the adapter's own messages, such as the receipt of a change, by topic. */
  readonly notices?: (topic: string, payload: unknown, context: CallContext) => Promise<AnyOutcome>;
  /** Accepts events that the adapter derives, such as `orderFinished`. Events without a member are not sent. */
  readonly derived?: DerivedEvents;
  /** Whether its answers to confirm steps can change the running order. Then the platform waits for them. */
  readonly returnsUpdates?: boolean;
  /**
   * Whether it accepts every event and never refuses, like a written file. Then the embedded store decides before the
   * connector is called.
   */
  readonly neverRefuses?: boolean;
  /**
   * Queries about a list that may be split and answered by several threads at once. Each element is answered
   * independently, in order, and the answer is a complete list.
   */
  readonly byElement?: readonly QueryId[];
  /** Whether a short query takes long to answer. Then another thread answers it. */
  readonly isLong?: (id: QueryId, input: unknown) => boolean;
  /** Imports pushes by itself. It is started after everything is open, and stopped before anything is closed. */
  readonly source?: PushSource;
  /** Returns a few records per query and source, for a look before the connector is used. Changes nothing outside. */
  readonly preview?: (limit: number, onRecord?: OnRecord) => Promise<readonly Preview[]>;
  /** Options that are allowed but may have surprising effects. Reported by a check, and when the source starts. */
  readonly warnings?: readonly string[];
  /** Returns what would be sent for an event, without sending it. Undefined if only sending can show it. */
  readonly dryRun?: (id: EventId | DerivedEventId, input: unknown, context: CallContext) => Promise<readonly DryRun[]>;
  /** As `dryRun`, for the adapter's own messages. */
  readonly dryRunNotice?: (topic: string, payload: unknown, context: CallContext) => Promise<readonly DryRun[]>;
  /** Checks that the external system can be reached and used. Throws a Fault that says what to do. */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a connector gets when it is opened: time, log, and its state. */
export interface OpenContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: Timers;
  /** How dates without offset are read in this deployment. */
  readonly dates: DateSettings;
  /** A few small texts that survive a restart, such as the cursor of a poll. Each connector has its own. */
  readonly connectorState: ConnectorState;
  /** The adapter's own database file, for connectors that live inside it. */
  readonly databaseFile: string;
  /** Measures pieces of work for a trace; undefined if nothing is traced. */
  readonly tracing?: Tracing | undefined;
}

/** Small texts of one connector that survive a restart. */
export interface ConnectorState {
  readonly read: (key: string) => string | undefined;
  /** The text is on the disk when it resolves. */
  readonly write: (key: string, text: string) => Promise<void>;
}

/** A connector is data: a name, its options, and how it is opened. */
export interface ConnectorDefinition<Options = Readonly<Record<string, unknown>>> {
  readonly type: string;
  readonly summary: string;
  /** The schema of its options. */
  readonly options: TObject;
  /**
   * For a connector whose state is in the adapter's own database: the module whose `openProjection` applies events
   * inside the journal's transaction, so that the entry and its effect are committed together.
   */
  readonly projectionModule?: URL;
  /** Expands references in the options, such as a preset, before they are checked. */
  readonly complete?: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /**
   * Checks what the options' schema cannot express, such as a mapping that does not compile. Called when the options
   * are loaded.
   */
  // Methods, so that a definition with its own options is assignable: the options were checked before it is opened.
  validate?(options: Options): readonly OptionProblem[] | Promise<readonly OptionProblem[]>;
  /** What the connector will offer with these options, before it is opened. Undefined if only opening it shows that. */
  offers?(options: Options): Offer | undefined | Promise<Offer | undefined>;
  open(options: Options, context: OpenContext): OpenConnector | Promise<OpenConnector>;
}

/** Defines a connector. The schema gives the type of its options. */
// NoInfer: only the schema gives the type of the options. Inferring it from the functions too costs the compiler
// seconds.
export const defineConnector = <Schema extends TObject>(
  // Omitted, not narrowed: no schema is both an object with two required members and any object.
  definition: Omit<ConnectorDefinition<NoInfer<Static<Schema>>>, "options"> & { readonly options: Schema },
): ConnectorDefinition<Static<Schema>> => definition;

/** What would be sent for an event; nothing is sent. */
export interface DryRun {
  /** Method and URL, the name of a file, or the kind of statement. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body?: unknown;
}

/** One record as received from the external system, and the result of its mapping. */
export interface Preview {
  readonly serves: QueryId | PushTopic;
  readonly raw: unknown;
  /** Not yet checked against the contract; the caller that shows it does that. */
  readonly mapped: unknown;
  /** Problems of the mapping itself, such as an amount that must not be rounded. */
  readonly problems: readonly { readonly field: string; readonly text: string }[];
  /** The source field of a member of `mapped`. */
  readonly sourceOf: (field: string) => string | undefined;
}

/** A record as received, and the options by which it is filtered and mapped. */
export interface SampledRecord {
  /** The path of these options among the connector's. */
  readonly path: readonly (string | number)[];
  readonly serves: QueryId | PushTopic;
  readonly record: unknown;
}

/** Called with every record that a preview reads, also with those that a filter leaves out. */
export type OnRecord = (sampled: SampledRecord) => void;

/** What a connector can be used for. */
export interface Offer {
  readonly operations: readonly OfferedId[];
  /** Whether it accepts the adapter's own messages. */
  readonly takesNotices: boolean;
  /** Whether it imports pushes by itself. */
  readonly bringsIn: boolean;
  /** The derived events that it accepts; absent: none. */
  readonly derived?: readonly DerivedEventId[];
}

/** What an open connector offers. */
export const offerOf = ({
  operations,
  notices,
  source,
  derived,
}: Pick<OpenConnector, "operations" | "notices" | "source" | "derived">): Offer => ({
  operations: offeredAmong(operations),
  takesNotices: notices !== undefined,
  bringsIn: source !== undefined,
  ...derivedOffer(derived ?? {}),
});

/** The derived events that have a member in `named`, for an offer. */
export function derivedOffer(named: Readonly<Partial<Record<DerivedEventId, unknown>>>): Pick<Offer, "derived"> {
  const derived = derivedEventIds.filter((id) => named[id] !== undefined);
  return derived.length === 0 ? {} : { derived };
}

/** The operations of the contract that have a member in `named`. */
export const offeredAmong = (named: Readonly<Partial<Record<OfferedId, unknown>>>): OfferedId[] =>
  operationIds.filter(
    (id): id is OfferedId => operationRow(id).budget !== "none" && named[id as OfferedId] !== undefined,
  );
