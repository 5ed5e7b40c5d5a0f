import { wellFormedJson } from "../kit/json/scan-json.ts";
import type { Operation } from "./operation.ts";

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
 * The envelope up to its data, as text: `head + data + "}"` is the whole answer. As text,
 * so that data stored as JSON is written without being parsed again.
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
