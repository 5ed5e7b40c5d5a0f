import type { Static } from "typebox";
import { wellFormedJson } from "../kit/json/scan-json.ts";
import type { Operation } from "./operation.ts";
import { list, mapOf, optional, record, text, wholeNumber } from "./schemas/parts.ts";

export interface ValidationStatus {
  readonly errorMessages: readonly string[];
  readonly isValid: boolean;
  readonly errorCount: number;
}

/** The JSON object around every answer but GET /Status. */
export interface Envelope<Data = unknown> {
  readonly isResultSuccess: boolean;
  readonly result: number;
  readonly validationStatus: ValidationStatus | null;
  readonly externalMessage: string | null;
  readonly data: Data | null;
}

export const maxErrorMessages = 100;

/** Limits the list but not the count: an operator reads a hundred lines at most, but must know how many there are. */
export function validationStatus(
  errorMessages: readonly string[],
  errorCount = errorMessages.length,
): ValidationStatus {
  return { errorMessages: errorMessages.slice(0, maxErrorMessages), isValid: false, errorCount };
}

export function resultNumber(row: Operation, result: string): number {
  const number = row.results.indexOf(result);
  if (number < 0) throw new Error(`${row.method} ${row.path} knows no result named ${result}`);
  return number;
}

/**
 * The envelope up to its data, as text: `head + data + "}"` is the whole answer. So data that is stored as JSON is
 * written without being parsed again.
 */
export function envelopeHead(
  row: Operation,
  result: string,
  externalMessage: string | null = null,
  validation: ValidationStatus | null = null,
): string {
  const success = result === row.success;
  return (
    `{"isResultSuccess":${success},"result":${resultNumber(row, result)}` +
    `,"validationStatus":${validation === null ? "null" : wellFormedJson(validation)}` +
    `,"externalMessage":${externalMessage === null ? "null" : wellFormedJson(externalMessage)},"data":`
  );
}

/** The schema of every answer that is neither an envelope nor the version: problem details of RFC 9457. */
export const problemDetailsSchema = record("ProblemDetails", {
  type: text("Kind of problem, a URI reference; about:blank if the status is enough."),
  title: text("The problem in a few words."),
  status: wholeNumber("The HTTP status again."),
  detail: optional(text("The problem of this request, and what to do about it.")),
  traceId: text("Also written to the log: include it in support requests."),
  errors: optional(
    mapOf(
      list(text("One text, in the language of the request."), "The problems of this member."),
      "Texts by member, such as requests[0].itemNumber; present when model validation failed.",
    ),
  ),
  errorCount: optional(wholeNumber("The total number of errors, even if the texts were cut at 100.")),
});
export type ProblemDetails = Static<typeof problemDetailsSchema>;
