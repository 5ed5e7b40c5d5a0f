import type { FaultKind } from "../contract/fault.ts";
import { resultForFault } from "../contract/fault.ts";
import type { Operation } from "../contract/operation.ts";
import { DiskFull, JournalBusy, JournalFailed } from "../journal/journal.ts";
import type { Log } from "../kit/log.ts";
import { type OperatorText, say } from "../messages/message.ts";
import { Fault } from "../sdk/fault.ts";
import { type Refusal, refuse } from "../sdk/outcome.ts";

const textByKind: Partial<Record<FaultKind, OperatorText>> = {
  "not-offered": say("general.not-offered"),
  unreachable: say("general.unreachable"),
};

/** What is thrown on the way becomes the result that the row has for it. Unforeseen errors get a reference into the log. */
export function settleFault(
  row: Operation,
  error: unknown,
  { log, newReference }: { log: Log; newReference: () => string },
): Refusal {
  if (error instanceof Fault && error.kind !== "broken") {
    log.warn({ path: row.path, kind: error.kind, err: error }, "the external system could not answer");
    return refuse(resultForFault(row, error.kind), error.operatorText ?? textByKind[error.kind]);
  }
  return refuse(resultForFault(row, "broken"), notStoredText(error, { log, newReference }));
}

/** Words for an error that only the log explains. */
export function notStoredText(
  error: unknown,
  { log, newReference }: { log: Log; newReference: () => string },
): OperatorText {
  if (error instanceof JournalBusy) return say("general.busy");
  if (error instanceof DiskFull) return say("general.disk-full");
  const reference = newReference();
  log.error({ reference, err: error }, "the request failed");
  return say(error instanceof JournalFailed ? "general.not-stored" : "general.internal", { reference });
}

export function notOffered(row: Operation): Refusal {
  return refuse(resultForFault(row, "not-offered"), textByKind["not-offered"]);
}

/** The target cannot be asked now; nothing was written down. */
export function unreachable(row: Operation, text: OperatorText): Refusal {
  return refuse(resultForFault(row, "unreachable"), text);
}
