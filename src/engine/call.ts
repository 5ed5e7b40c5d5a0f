import type { InputOf, OfferedId } from "../contract/operations.ts";
import { DeadlineExceeded, withDeadline } from "../kit/deadline.ts";
import type { UserCount } from "../kit/user-count.ts";
import type { Language } from "../messages/languages.ts";
import { say } from "../messages/message.ts";
import type { CallContext, Delivery, Operate } from "../sdk/connector.ts";
import { Fault } from "../sdk/fault.ts";
import type { AnyOutcome } from "../sdk/outcome.ts";
import type { RecordSent } from "../sdk/record-sent.ts";

class Context implements CallContext {
  readonly language: Language;
  readonly delivery?: Delivery;
  readonly record?: RecordSent;
  #abort: AbortController | undefined;

  constructor({ language, delivery, record }: Pick<Call, "language" | "delivery" | "record">) {
    this.language = language;
    if (delivery !== undefined) this.delivery = delivery;
    if (record !== undefined) this.record = record;
  }

  // Created on first use: an answer from memory must not pay for a signal that nobody listens to.
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  abort(): void {
    this.#abort?.abort();
  }
}

export interface Call {
  readonly operate: Operate<OfferedId>;
  readonly input: unknown;
  readonly language: Language;
  readonly delivery?: Delivery;
  readonly record?: RecordSent;
  readonly deadlineMs: number;
  readonly users?: UserCount | undefined;
}

/** Calls a connector, and turns silence into a fault when the time budget is spent. */
export function call({ operate, input, deadlineMs, users, ...given }: Call): AnyOutcome | Promise<AnyOutcome> {
  const context = new Context(given);
  // Checked against the row's schema before it got here.
  const answer = operate(input as InputOf<OfferedId>, context);
  if (!(answer instanceof Promise)) return answer;
  // Also beyond the time limit: a connector must not be closed under a call that does not heed the signal.
  users?.during(answer);
  return withDeadline(answer, deadlineMs, () => context.abort()).catch((error: unknown) => {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Fault("unreachable", error.message, { operatorText: say("general.unreachable"), cause: error });
  });
}
