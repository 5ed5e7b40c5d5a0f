import type { TObject, TSchema } from "typebox";

/** One row of the contract table: the only place that describes an endpoint. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Documented spelling; at most one `{parameter}`, always the last segment. */
  readonly path: string;
  /** A query changes nothing; an event is stored in the journal before it is answered. */
  readonly kind: "query" | "event";
  readonly group: "Work orders" | "Processing" | "Items" | "Health";
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Undefined for events, which return the envelope only. */
  readonly data?: TSchema;
  /** Result names in numeric order: the position is the number. Empty only if there is no envelope. */
  readonly results: readonly string[];
  readonly success: string;
  /** Set if the body can have many megabytes: it is read and answered outside the main thread. */
  readonly bulk?: true;
  /**
   * A larger body is treated as bulk. Default: the size at which reading it would delay other requests. Smaller if the
   * answer takes longer.
   */
  readonly bulkAboveBytes?: number;
  /** Which time budget applies. */
  readonly budget: "event" | "step" | "scan" | "list" | "none";
  /** A rule that schema and results do not express, for the reference page. */
  readonly note?: string;
  /** A decision of ours where the contract leaves something open, for the reference page. */
  readonly assumption?: string;
}

/**
 * What can go wrong before there is an answer. The kind alone decides the result; the row of the
 * table maps it to one of its own names.
 */
export type FaultKind =
  /** No connector is bound to this capability. */
  | "not-offered"
  /** The input does not match the contract. */
  | "invalid"
  /** The external system could not be reached: DNS, connect, TLS, login, timeout, open circuit. */
  | "unreachable"
  /** The external system was reached and refused, or its answer was unusable. */
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
