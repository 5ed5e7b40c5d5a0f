import { type FaultKind, type Operation, resultForFault } from "../../contract/operation.ts";
import type { InputOf, OfferedId } from "../../contract/operations.ts";
import type { Entry } from "../../journal/entry.ts";
import { DiskFull, JournalBusy, JournalFailed, type JournalReader } from "../../journal/journal.ts";
import type { UserCount } from "../../kit/current-snapshot.ts";
import type { Log } from "../../kit/log.ts";
import { DeadlineExceeded, withDeadline } from "../../kit/time/clock.ts";
import type { Language } from "../../messages/languages.ts";
import { isReadable, type OperatorText, say } from "../../messages/message.ts";
import { type FindSubject, unlessGivenUp } from "../../operation/event-subject.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, type Refusal, refuse } from "../../operation/outcome.ts";
import type { RecordSent } from "../../operation/record-sent.ts";
import type { CallContext, Delivery, DeliveryProgress, Operate } from "../../sdk/connector.ts";

type Given = Pick<Call, "language" | "delivery" | "record" | "progress" | "findSubject">;

class Context implements CallContext {
  readonly language: Language;
  readonly delivery?: Delivery;
  readonly record?: RecordSent;
  readonly progress?: DeliveryProgress;
  readonly findSubject?: FindSubject;
  #abort: AbortController | undefined;

  constructor({ language, delivery, record, progress, findSubject }: Given) {
    this.language = language;
    if (progress !== undefined) this.progress = progress;
    if (findSubject !== undefined) this.findSubject = unlessGivenUp(findSubject, this);
    if (delivery !== undefined) this.delivery = delivery;
    if (record !== undefined) this.record = record;
  }

  // Created on first use: an answer from memory must not pay for an unused signal.
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  // Also if nobody has asked for the signal yet: who asks later must find it aborted.
  abort(): void {
    this.#abort ??= new AbortController();
    this.#abort.abort();
  }
}

export interface Call {
  readonly operate: Operate<OfferedId>;
  readonly input: unknown;
  readonly language: Language;
  readonly delivery?: Delivery;
  readonly record?: RecordSent;
  readonly progress?: DeliveryProgress;
  readonly findSubject?: FindSubject;
  readonly deadlineMs: number;
  readonly users?: UserCount | undefined;
  /** Called with what ends the call early. */
  readonly onBegun?: (end: () => void) => void;
}

/** Calls a connector. If it does not answer within the time budget, that becomes a fault. */
export function call({ operate, input, deadlineMs, users, onBegun, ...given }: Call): AnyOutcome | Promise<AnyOutcome> {
  const context = new Context(given);
  // The input was checked against the row's schema before.
  const answer: AnyOutcome | Promise<AnyOutcome> = operate(input as InputOf<OfferedId>, context);
  if (!(answer instanceof Promise)) return withText(answer);
  // Counts as a user beyond the deadline: a connector must not be closed while a call that ignores the signal is
  // running.
  users?.during(answer);
  onBegun?.(() => context.abort());
  return withDeadline(answer, deadlineMs, () => context.abort()).then(withText, (error: unknown) => {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Fault("unreachable", error.message, { operatorText: say("general.unreachable"), cause: error });
  });
}

/** Gives every refusal without a text a general one: an operator must always see a reason. */
function withText(outcome: AnyOutcome): AnyOutcome {
  if (outcome.message === undefined ? outcome.ok : isReadable(outcome.message)) return outcome;
  const { message: _nothing, ...rest } = outcome;
  if (rest.ok || (rest.problems?.length ?? 0) > 0) return rest;
  return { ...rest, message: say("http.refused") };
}

/** An entry as a connector sees it during delivery. */
export function deliveryOf(entry: Entry, read: JournalReader): Delivery {
  const possibleRepeatOf = entry.suspectOf === null ? undefined : read.brief(entry.suspectOf)?.id;
  return {
    entryId: entry.id,
    seq: entry.seq,
    topic: entry.topic,
    body: entry.body,
    receivedAt: entry.receivedAt,
    attempt: Math.max(1, entry.attempts + entry.targetFailures),
    replay: entry.replays,
    lanes: entry.lanes,
    ...(possibleRepeatOf === undefined ? {} : { possibleRepeatOf }),
  };
}

/** How long an answer may take, depending on what the operator is doing. */
export interface Budgets {
  readonly eventMs: number;
  readonly stepMs: number;
  readonly scanMs: number;
  readonly listMs: number;
}

export const defaultBudgets: Budgets = { eventMs: 300, stepMs: 1500, scanMs: 3000, listMs: 20_000 };

export function budgetMs(row: Operation, budgets: Budgets): number {
  switch (row.budget) {
    case "event":
      return budgets.eventMs;
    case "step":
      return budgets.stepMs;
    case "scan":
      return budgets.scanMs;
    default:
      return budgets.listMs;
  }
}

const textByKind: Partial<Record<FaultKind, OperatorText>> = {
  "not-offered": say("general.not-offered"),
  unreachable: say("general.unreachable"),
  rejected: say("http.refused"),
};

/** Turns a thrown error into the matching result of the row. Unexpected errors get a reference into the log. */
export function settleFault(
  row: Operation,
  error: unknown,
  { log, newReference }: { log: Log; newReference: () => string },
): Refusal {
  if (error instanceof Fault && error.kind !== "broken") {
    // Without its stack: during an outage there is a line for each scan.
    log.warn({ path: row.path, kind: error.kind, reason: error.message }, "the external system could not answer");
    return refuse(resultForFault(row, error.kind), error.operatorText ?? textByKind[error.kind] ?? say("http.refused"));
  }
  return refuse(resultForFault(row, "broken"), notStoredText(error, { log, newReference }));
}

/** The text for an error that only the log explains. */
export function notStoredText(
  error: unknown,
  { log, newReference }: { log: Log; newReference: () => string },
): OperatorText {
  if (error instanceof JournalBusy) return say("general.busy");
  if (error instanceof DiskFull) return say("general.disk-full");
  const reference = newReference();
  log.error({ reference, err: error }, "the query failed unexpectedly");
  return say(error instanceof JournalFailed ? "general.not-stored" : "general.internal", { reference });
}

export function notOffered(row: Operation): Refusal {
  return refuse(resultForFault(row, "not-offered"), textByKind["not-offered"]);
}

/** The refusal for a target that cannot be called now; nothing was stored. */
export function unreachable(row: Operation, text: OperatorText): Refusal {
  return refuse(resultForFault(row, "unreachable"), text);
}
