import { type OperationId, operationIds } from "../../contract/operations.ts";
import type { Trial } from "./harness/knowledge.ts";
import type { Exchange } from "./harness/recorded-exchange.ts";
import type { Basis } from "./sentences.ts";

/** `read-only` changes nothing and is safe in production; `full` sends events and imports files. */
export type Level = "read-only" | "full";

/** What a check is about: an endpoint, the adapter as a whole, or several endpoints in a row. */
export type Group = OperationId | "adapter" | "workflow";

/** One promise that can be tried against a URL. */
export interface Check {
  readonly id: string;
  readonly group: Group;
  /** The promise, as a sentence. */
  readonly title: string;
  readonly level: Level;
  readonly basis: Basis;
  /** What to look at in the adapter where the promise is broken. */
  readonly hint: string;
  readonly run: (trial: Trial) => Promise<void>;
}

/** What checks can be about, in the order of reports. */
export const groups = (): readonly Group[] => [...operationIds, "workflow", "adapter"];

/** A promise about every single answer of an endpoint, whatever was asked. */
export interface Law {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly basis: Basis;
  readonly appliesTo: (operation: OperationId) => boolean;
  /** What should have been; null where all is well, undefined where this answer says nothing about it. */
  readonly judge: (exchange: Exchange) => string | null | undefined;
}
