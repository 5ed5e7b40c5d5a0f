import type { Envelope } from "../../contract/envelope.ts";
import { type DataOf, type OperationId, operationRow } from "../../contract/operations.ts";
import type { Answered } from "./channel.ts";

export interface Answer<Id extends OperationId> {
  readonly ok: boolean;
  /** The name of the result; empty where there is none of the contract's. */
  readonly result: string;
  readonly data: DataOf<Id> | null;
  readonly message: string | null;
}

/** The answer in the contract's words; null where it is none. */
export function readAnswer<Id extends OperationId>(id: Id, { status, text }: Answered): Answer<Id> | null {
  const row = operationRow(id);
  try {
    // Each member is looked at before it is used; data is taken as the contract says, as a platform would.
    const envelope = JSON.parse(text) as Partial<Envelope<DataOf<Id>>> | null;
    if (status !== 200 || envelope === null) return null;
    // The status is answered without an envelope.
    if (id === "getStatus") return { ok: true, result: "", data: envelope as DataOf<Id>, message: null };
    const result = row.results[envelope.result ?? -1];
    if (result === undefined || envelope.isResultSuccess !== (result === row.success)) return null;
    const { isResultSuccess, data = null, externalMessage = null } = envelope;
    return { ok: isResultSuccess, result, data, message: externalMessage };
  } catch {
    return null;
  }
}
