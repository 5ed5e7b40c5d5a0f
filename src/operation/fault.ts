import type { FaultKind } from "../contract/operation.ts";
import type { Problem } from "../contract/validate/problem.ts";
import { isReadable, type Message, type OperatorText, say } from "../messages/message.ts";

/** Thrown by an operation if there is no answer. The row of the contract decides which result it becomes. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** The text for the operator; the error's own message is for the log. */
  readonly operatorText: OperatorText | undefined;
  /** The external system's answer, if there was one. */
  readonly answer: ExternalAnswer;

  constructor(kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "Fault";
    this.kind = kind;
    // Otherwise an empty text would be shown instead of the default text for this kind of fault.
    this.operatorText = isReadable(options.operatorText) ? options.operatorText : undefined;
    this.answer = options.answer ?? {};
  }
}

export interface FaultOptions {
  readonly operatorText?: OperatorText;
  readonly cause?: unknown;
  readonly answer?: ExternalAnswer;
}

/** What is kept of an unsuccessful answer. */
export interface ExternalAnswer {
  readonly status?: number;
  /** Redacted and shortened. */
  readonly text?: string;
  /** How long the external system wants us to wait. */
  readonly retryAfterMs?: number;
  /** Set if the entry was refused but a few quick retries may help: locked, conflict, too early. */
  readonly isPassing?: boolean;
  /**
   * With `unreachable`: the system was reached but cannot process this entry now. It is retried until it can; other
   * entries are not delayed.
   */
  readonly isBusy?: boolean;
}

/** The text for one problem of an input, not yet in a language. */
export function problemText({ field, expected, detail = "", found = "" }: Problem): Message {
  return say(`input.${expected}`, { field, detail, found });
}
