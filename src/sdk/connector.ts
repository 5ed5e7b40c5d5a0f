import { hash } from "node:crypto";
import type { Static, TObject } from "typebox";
import {
  type EventId,
  type InputOf,
  type OfferedId,
  operationIds,
  operationRow,
  type QueryId,
} from "../contract/operations.ts";
import { type PushedWorkOrder, type PushTopic, pushRow } from "../contract/pushes.ts";
import { type Validator, validator } from "../contract/validate/validator.ts";
import type { Log } from "../kit/log.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import type { Language } from "../messages/languages.ts";
import type { DateSettings } from "../operation/dates.ts";
import { halfCharacters, normaliseWorkOrder } from "../operation/normalise-work-order.ts";
import type { OptionProblem } from "../operation/option-problem.ts";
import type { AnyOutcome, Outcome } from "../operation/outcome.ts";
import type { RecordSent } from "../operation/record-sent.ts";
import type { PushSource } from "./intake.ts";

/** What an operation may use while it answers one call. */
export interface CallContext {
  readonly language: Language;
  readonly signal: AbortSignal;
  /** Present on tells: what is being delivered, and which attempt this is. */
  readonly delivery?: Delivery;
  /** Of an event: keeps what is really sent and answered in the attempt of the journal. */
  readonly record?: RecordSent;
}

/** A journal entry on its way to the external system. */
export interface Delivery {
  /** The idempotency key towards the external system: the same on every attempt, for ever. */
  readonly entryId: string;
  readonly seq: number;
  readonly topic: string;
  /** The JSON text as it was received. */
  readonly body: string;
  readonly receivedAt: number;
  /** Counted from 1. */
  readonly attempt: number;
  /** How often a person has sent it again after it had been delivered; 0 usually. */
  readonly replay: number;
  /** The order or container, and which entry of it this is: a gap shows that something was skipped. */
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  /** Id of an earlier entry with the same content, where this one may be a repeat of it. */
  readonly possibleRepeatOf?: string;
}

export type Operate<Id extends OfferedId> = (
  input: InputOf<Id>,
  context: CallContext,
) => Outcome<Id> | Promise<Outcome<Id>>;

/** The queries that a connector answers, by operation. */
export type Queries = { readonly [Id in QueryId]?: Operate<Id> };
/** The events that a connector takes, by operation. */
export type Events = { readonly [Id in EventId]?: Operate<Id> };

/** The opened form of a connector: the operations it offers, and nothing it does not. */
export interface OpenConnector {
  readonly operations: Queries & Events;
  /** Takes what the adapter tells on its own account, such as the receipt of a change, under its topic. */
  readonly notices?: (topic: string, payload: unknown, context: CallContext) => Promise<AnyOutcome>;
  /** Whether its answers to step confirmations can change the running order: then the platform waits for them. */
  readonly returnsUpdates?: boolean;
  /** Whether it takes every event and never says no, as a written file does: then our own store decides, before it is told. */
  readonly neverRefuses?: boolean;
  /**
   * Questions about a list that may be asked in parts, by several threads at once: each element is answered from
   * itself alone, in its order, and the answer is a ready list.
   */
  readonly byElement?: readonly QueryId[];
  /** Whether answering this would take long, though the question is short: then another thread answers it. */
  readonly isLong?: (id: QueryId, input: unknown) => boolean;
  /** Brings pushes in by itself; started after everything is open, stopped before anything is closed. */
  readonly source?: PushSource;
  /** A few records per question and source, to be looked at before anybody relies on them. Changes nothing outside. */
  readonly preview?: (limit: number) => Promise<readonly Preview[]>;
  /** What is allowed in its options and may still surprise: told by a check, and when it brings pushes in. */
  readonly warnings?: readonly string[];
  /** What an event would be sent as; nothing is. Absent where only sending it tells. */
  readonly dryRun?: (id: EventId, input: unknown, context: CallContext) => Promise<readonly DryRun[]>;
  /** Whether the external system can be reached and would let us work; throws a Fault that says what to do. */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a connector gets when it is opened: time, log, and what it may keep. */
export interface OpenContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: Timers;
  /** How dates without offset are meant in this deployment. */
  readonly dates: DateSettings;
  /** A few small texts that outlive a restart, such as how far a poll has come; each connector has its own. */
  readonly connectorState: ConnectorState;
  /** The adapter's own database file, for connectors that live inside it. */
  readonly databaseFile: string;
}

/** Small texts of one connector that survive a restart. */
export interface ConnectorState {
  readonly read: (key: string) => string | undefined;
  /** On the disk when it resolves. */
  readonly write: (key: string, text: string) => Promise<void>;
}

/** A connector is data: a name, the options it takes, and how it is opened. */
export interface ConnectorDefinition<Options = Readonly<Record<string, unknown>>> {
  readonly type: string;
  readonly summary: string;
  /** The schema of its options. */
  readonly options: TObject;
  /**
   * For a connector whose state lives in the adapter's own database: the module whose `openResident`
   * applies tells inside the journal's transaction, so that entry and effect exist both or not at all.
   */
  readonly projectionModule?: URL;
  /** Puts in what the options only refer to, such as a preset, before anything of them is checked. */
  readonly complete?: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** What the schema of the options cannot say, such as a mapping that does not compile. Called when they are loaded. */
  // Methods, so that a definition with options of its own is a definition: whoever opens it has checked them.
  validate?(options: Options): readonly OptionProblem[] | Promise<readonly OptionProblem[]>;
  /** What it will offer with these options, known before it is opened. Undefined where only opening it tells. */
  offers?(options: Options): Offer | undefined | Promise<Offer | undefined>;
  open(options: Options, context: OpenContext): OpenConnector | Promise<OpenConnector>;
}

/** Defines a connector: its options are typed by their schema. */
// NoInfer: the schema alone says what the options are. Inferring them from the functions as well costs the compiler seconds.
export const defineConnector = <Schema extends TObject>(
  // Left out and not narrowed: of an object with two required members and of any object no schema is both.
  definition: Omit<ConnectorDefinition<NoInfer<Static<Schema>>>, "options"> & { readonly options: Schema },
): ConnectorDefinition<Static<Schema>> => definition;

/** What would go out for an event; nothing is sent. */
export interface DryRun {
  /** Method and address, the name of a file, or what kind of statement it is. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON where it is JSON, else the text. */
  readonly body?: unknown;
}

/** One record as it came from the external system, and what the mapping made of it. */
export interface Preview {
  readonly serves: QueryId | PushTopic;
  readonly raw: unknown;
  /** Before any check against the contract: the one who shows it checks it. */
  readonly mapped: unknown;
  /** What the mapping itself could not do, such as an amount it must not round. */
  readonly problems: readonly { readonly field: string; readonly text: string }[];
  /** The source field that feeds a member of `mapped`. */
  readonly sourceOf: (field: string) => string | undefined;
}

/** What a connector can be bound to. */
export interface Offer {
  readonly operations: readonly OfferedId[];
  /** Whether it takes what the adapter tells on its own account. */
  readonly takesNotices: boolean;
  /** Whether it brings pushes in by itself. */
  readonly bringsIn: boolean;
}

/** What an open one offers. */
export const offerOf = ({
  operations,
  notices,
  source,
}: Pick<OpenConnector, "operations" | "notices" | "source">): Offer => ({
  operations: offeredAmong(operations),
  takesNotices: notices !== undefined,
  bringsIn: source !== undefined,
});

/** The operations of the contract that are named in it. */
export const offeredAmong = (named: Readonly<Partial<Record<OfferedId, unknown>>>): OfferedId[] =>
  operationIds.filter(
    (id): id is OfferedId => operationRow(id).budget !== "none" && named[id as OfferedId] !== undefined,
  );

/** To be raised where what is asked of an order or item changes beside the schemas. */
const ofTheCode = 1;

/** Says by which limits records were checked: where it is another one than noted, what is stored may be beyond them. */
export function limitsMark(): string {
  const schemas = [pushRow("workOrders").element, pushRow("items").element];
  return hash("sha1", `${ofTheCode} ${JSON.stringify(schemas)}`).slice(0, 16);
}

let orders: Validator | undefined;
let items: Validator | undefined;

/** Whether a stored order can be served: by the limits of this version, and readable for a strict client. */
export function isServableOrder(json: string, dates: DateSettings): boolean {
  orders ??= validator(pushRow("workOrders").element);
  const order = orders.canonical(JSON.parse(json));
  // Checked by the line below as a pushed order.
  return orders.isValid(order) && "workOrder" in normaliseWorkOrder(order as PushedWorkOrder, dates);
}

export function isServableItem(json: string): boolean {
  items ??= validator(pushRow("items").element);
  const item = items.canonical(JSON.parse(json));
  return items.isValid(item) && halfCharacters(item).length === 0;
}
