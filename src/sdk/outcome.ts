import type { DataOf, OfferedId, RefusalOf } from "../contract/operations.ts";
import type { OperatorText } from "../messages/message.ts";
import type { ListInParts } from "./list-in-parts.ts";
import type { ReadyJson, ReadyJsonList } from "./ready-json.ts";

/** Something to write down in the journal before the answer goes out, such as the numbers of an imported file. */
export interface Fact {
  readonly topic: string;
  readonly lane: string;
  readonly payload: unknown;
}

/** A positive outcome, with the data of the answer. */
export interface Ok<Data = unknown> {
  readonly ok: true;
  readonly data: Data | ReadyJson | ReadyJsonList | ListInParts;
  readonly message?: OperatorText;
  readonly facts?: readonly Fact[];
  /** Of an event: nothing was sent, because the connector describes nothing for it. It is never called delivered. */
  readonly isUnsent?: true;
}

/** A negative outcome: a result name of the operation, and a text for the operator. */
export interface Refusal<Result extends string = string> {
  readonly ok: false;
  readonly result: Result;
  readonly message?: OperatorText;
  /** What is wrong in detail; fills validationStatus. */
  readonly problems?: readonly OperatorText[];
  /** The full number of problems where the list was cut. */
  readonly problemCount?: number;
}

/** What an operation returns. "No such order" is an answer; "the ERP is down" is a fault and is thrown. */
export type Outcome<Id extends OfferedId = OfferedId> = Ok<DataOf<Id>> | Refusal<RefusalOf<Id>>;

/** An outcome of whatever row, for code that serves them all. */
export type AnyOutcome = Ok | Refusal;

/** Makes a positive outcome. */
export function ok(data: null, extras?: Omit<Ok, "ok" | "data">): Ok<null>;
export function ok<Data>(data: Data, extras?: Omit<Ok, "ok" | "data">): Ok<Data>;
export function ok(data: unknown, extras: Omit<Ok, "ok" | "data"> = {}): Ok {
  return { ok: true, data, ...extras };
}

/** Makes a negative outcome. The name has to be one of the operation's results. */
export function refuse<Result extends string>(
  result: Result,
  message?: OperatorText,
  details: Pick<Refusal, "problems" | "problemCount"> = {},
): Refusal<Result> {
  return { ok: false, result, ...(message === undefined ? {} : { message }), ...details };
}
