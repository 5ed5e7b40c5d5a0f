import { type OperationId, operationRow } from "../../../contract/operations.ts";
import { isReceived, type Reply } from "./wire.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  /** The relevant headers, without those for a gateway. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** How an answer is to be judged. */
export type Expectation =
  /** A request of the contract: expects 200 and the envelope. */
  | "valid"
  /** A request that fails model validation: 400 with problem details is allowed too. */
  | "invalid"
  /** A request that model validation may or may not examine, such as a file's content: both answers are allowed. */
  | "doubtful"
  /** Not a request of the contract: only its own check judges the answer. */
  | "foreign";

/** One request and its answer. */
export interface Exchange {
  readonly operation: OperationId;
  readonly expectation: Expectation;
  readonly sent: Sent;
  readonly reply: Reply;
  /** The JSON object of the answer; null if it is not one. */
  readonly answer: Readonly<Record<string, unknown>> | null;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function objectIn(reply: Reply): Readonly<Record<string, unknown>> | null {
  if (!isReceived(reply)) return null;
  try {
    const value: unknown = JSON.parse(reply.body);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const mayBeInvalid = ({ expectation }: Exchange): boolean =>
  expectation === "invalid" || expectation === "doubtful";

export const statusOf = ({ reply }: Exchange): number => (isReceived(reply) ? reply.status : 0);

/** The name of the result; null if there is no envelope or its number has no name. */
export function resultOf({ operation, reply, answer }: Exchange): string | null {
  if (!isReceived(reply) || reply.status !== 200) return null;
  const number = answer?.["result"];
  return typeof number === "number" ? (operationRow(operation).results[number] ?? null) : null;
}

export const isSuccess = (exchange: Exchange): boolean =>
  resultOf(exchange) === operationRow(exchange.operation).success;

/** How an invalid request was refused; null if it was accepted, or refused in a way that the contract does not know. */
export function refusalMode(exchange: Exchange): "envelope" | "problem-details" | null {
  const status = statusOf(exchange);
  if (status === 400) return "problem-details";
  return status === 200 && isObject(exchange.answer?.["validationStatus"]) ? "envelope" : null;
}

/** The answer in a few words. */
export function inWords(exchange: Exchange): string {
  const { reply } = exchange;
  if (!isReceived(reply)) return reply.failure;
  const result = resultOf(exchange);
  return reply.status !== 200
    ? `HTTP ${reply.status}`
    : (result ?? `result ${JSON.stringify(exchange.answer?.["result"])}`);
}

/**
 * Whether a document has the expected content, in any form: members in any order, additional members, null for a
 * missing member, a time in any zone. Comparing texts would report differences between serialisers.
 */
export function isSameContent(found: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) &&
      found.length === expected.length &&
      expected.every((element, index) => isSameContent(found[index], element))
    );
  }
  if (isObject(expected)) {
    return isObject(found) && Object.entries(expected).every(([name, value]) => isSameContent(found[name], value));
  }
  if (typeof expected === "string" && typeof found === "string" && isMoment(expected) && isMoment(found))
    return Date.parse(found) === Date.parse(expected);
  return (found ?? null) === (expected ?? null);
}

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);
