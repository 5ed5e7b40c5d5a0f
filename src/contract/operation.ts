import type { TObject, TSchema } from "typebox";

/** One row of the contract table. Everything the adapter knows about an endpoint stands here and nowhere else. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Documented spelling; at most one `{parameter}`, always the last segment. */
  readonly path: string;
  /** An ask is answered and forgotten; a tell is written down before it is answered. */
  readonly kind: "query" | "event";
  readonly group: "Work orders" | "Processing" | "Items" | "Health";
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Absent on events, which return the envelope only. */
  readonly data?: TSchema;
  /** Result names in numeric order: the position is the number. Absent only where there is no envelope. */
  readonly results: readonly string[];
  readonly success: string;
  /** A body that can reach many megabytes: read and answered off the main thread. */
  readonly bulk?: true;
  /** From which size on; absent: where reading it would hold up others. Smaller where the answer takes longer than that. */
  readonly bulkAboveBytes?: number;
  /** Which time budget applies. */
  readonly budget: "event" | "step" | "scan" | "list" | "none";
  /** A rule that schema and results do not say, in words for the reference page. */
  readonly note?: string;
  /** What the contract leaves open and we settled ourselves, in words for the reference page. */
  readonly assumption?: string;
}

/**
 * What can go wrong on the way to an answer. The kind is all that decides the result; the row of the
 * table decides which of its own names that is.
 */
export type FaultKind =
  /** No connector is bound to this capability. */
  | "not-offered"
  /** The input is not what the contract asks for. */
  | "invalid"
  /** The external system could not be reached: DNS, connect, TLS, login, time-out, open circuit. */
  | "unreachable"
  /** It was reached and said no, or answered nonsense. */
  | "rejected"
  /** Anything else: our own bug, a full disk. */
  | "broken";

const resultsByPreference: Record<FaultKind, readonly string[]> = {
  "not-offered": ["AdapterNotDefined"],
  invalid: ["InvalidInput", "OperationFailed"],
  unreachable: ["AdapterApiClientFailed"],
  rejected: ["AdapterApiCallFailed", "OperationFailed"],
  broken: ["OperationFailed"],
};

export function resultForFault(row: Operation, kind: FaultKind): string {
  const name = resultsByPreference[kind].find((candidate) => row.results.includes(candidate));
  if (name === undefined) throw new Error(`${row.path} has no result for a fault of kind ${kind}`);
  return name;
}
