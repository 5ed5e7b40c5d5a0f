import { Fault } from "../../operation/fault.ts";
import type { Redact } from "../redact.ts";
import { NotHttp, Undecodable } from "./read-body.ts";

/** What went wrong on the way, as a fault. Without an answer the receiver is in trouble, not the event. */
export function faultOfError(error: unknown, redact: Redact): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof NotHttp) {
    return new Fault("rejected", redact(`what came back is no HTTP: ${error.message}`), { cause: error });
  }
  if (error instanceof Undecodable) {
    return new Fault("rejected", redact(`what came back cannot be read: ${error.message}`), { cause: error });
  }
  return new Fault("unreachable", redact(`the receiver was not reached: ${wordsOf(error)}`), { cause: error });
}

function wordsOf(error: unknown): string {
  // Several addresses were tried; the error over them says nothing itself.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ");
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${wordsOf(error.cause)})`;
}
