import type { FaultKind } from "../contract/fault.ts";
import type { OperatorText } from "../messages/message.ts";

/** What an operation throws when there is no answer. The row of the contract decides which result it becomes. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** What the operator reads; the error's own message is for the log. */
  readonly operatorText: OperatorText | undefined;

  constructor(kind: FaultKind, message: string, options: { operatorText?: OperatorText; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "Fault";
    this.kind = kind;
    this.operatorText = options.operatorText;
  }
}
