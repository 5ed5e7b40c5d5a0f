import { Fault } from "../../operation/fault.ts";
import type { Redact } from "../redact.ts";
import { NotHttp, Undecodable } from "./read-body.ts";

/** A transport error as a fault. Without an answer the receiver is at fault, not the event. */
export function faultOfError(error: unknown, redact: Redact): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof NotHttp) {
    return new Fault("rejected", redact(`the response is not HTTP: ${error.message}`), { cause: error });
  }
  if (error instanceof Undecodable) {
    return new Fault("rejected", redact(`the response cannot be decoded: ${error.message}`), { cause: error });
  }
  return new Fault("unreachable", redact(`the receiver could not be reached: ${wordsOf(error)}`), { cause: error });
}

function wordsOf(error: unknown): string {
  // Several addresses were tried; the outer error has no details of its own.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ");
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${wordsOf(error.cause)})`;
}
