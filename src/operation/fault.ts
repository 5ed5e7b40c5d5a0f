import type { FaultKind } from "../contract/operation.ts";
import type { Problem } from "../contract/validate/validator.ts";
import { type Message, type OperatorText, say } from "../messages/message.ts";

/** What an operation throws when there is no answer. The row of the contract decides which result it becomes. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** What the operator reads; the error's own message is for the log. */
  readonly operatorText: OperatorText | undefined;
  /** How the external system answered, where it did. */
  readonly answer: ExternalAnswer;

  constructor(kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "Fault";
    this.kind = kind;
    this.operatorText = options.operatorText;
    this.answer = options.answer ?? {};
  }
}

export interface FaultOptions {
  readonly operatorText?: OperatorText;
  readonly cause?: unknown;
  readonly answer?: ExternalAnswer;
}

/** What is worth keeping of an answer that was no success. */
export interface ExternalAnswer {
  readonly status?: number;
  /** Redacted and shortened. */
  readonly text?: string;
  /** When the external system wants to be asked again. */
  readonly retryAfterMs?: number;
  /** Worth a few quick tries although the entry itself was refused: locked, conflict, too early. */
  readonly isPassing?: boolean;
  /** With `unreachable`: it was reached, and cannot do this one now. Tried until it can; others are not held up. */
  readonly isBusy?: boolean;
}

/** The words for one problem of an input, in no language yet. */
export function problemText({ field, expected, detail = "", found = "" }: Problem): Message {
  return say(`input.${expected}`, { field, detail, found });
}
