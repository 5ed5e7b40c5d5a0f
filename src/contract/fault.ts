import type { Operation } from "./operation.ts";

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
