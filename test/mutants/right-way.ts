import type { OperationId } from "../../src/contract/operations.ts";
import type { Group } from "../../src/tools/conformance/conformance-check.ts";
import type { Change } from "./right-adapter.ts";
import type { Said } from "./right-floor.ts";

/** A right adapter that is made in another way than ours. A kit that complains about it is not believed the next time. */
export interface RightWay {
  /** What it does, as a sentence without its subject. */
  readonly name: string;
  /** Permitted by the contract, though not by behaviour, which settles what the contract leaves open. */
  readonly isContractOnly?: true;
  /** The groups of checks that can notice, where others cannot. */
  readonly only?: readonly Group[];
  readonly change: Change;
}

export type Members = Readonly<Record<string, unknown>>;

/** Every object of a document, changed from the inside out. */
export function everyObject(value: unknown, change: (object: Members) => object): unknown {
  if (Array.isArray(value)) return value.map((element) => everyObject(element, change));
  if (typeof value !== "object" || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, everyObject(inner, change)])));
}

/** Says something else where the right one has answered. */
export const saying =
  (change: (id: OperationId, said: Said) => Said): Change =>
  ({ operate }) => ({ operate: async (id, input, request) => change(id, await operate(id, input, request)) });

/** Writes other data where there are any. */
export const ofData = (change: (object: Members) => object): Change =>
  saying((_, said) => (said.data === undefined ? said : { ...said, data: everyObject(said.data, change) }));

export const envelopes =
  (change: (envelope: Members, id: OperationId) => object): Change =>
  ({ envelope }) => ({ envelope: (id, said) => change(Object(envelope(id, said)), id) });
