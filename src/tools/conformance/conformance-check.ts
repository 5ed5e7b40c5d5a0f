import { type OperationId, operationIds } from "../../contract/operations.ts";
import type { Trial } from "./harness/knowledge.ts";
import type { Exchange } from "./harness/recorded-exchange.ts";
import type { Basis } from "./sentences.ts";

/** `read-only` changes nothing and is safe in production; `full` sends events and imports files. */
export type Level = "read-only" | "full";

/** The subject of a check: an endpoint, the adapter as a whole, or several endpoints in a row. */
export type Group = OperationId | "adapter" | "workflow";

/** One requirement that can be checked against a URL. */
export interface Check {
  readonly id: string;
  readonly group: Group;
  /** The requirement, as a sentence. */
  readonly title: string;
  readonly level: Level;
  readonly basis: Basis;
  /** What to look at in the adapter if the check fails. */
  readonly hint: string;
  readonly run: (trial: Trial) => Promise<void>;
}

/** All subjects of checks, in the order of reports. */
export const groups = (): readonly Group[] => [...operationIds, "workflow", "adapter"];

/** A requirement for every single answer of an endpoint, whatever the request. */
export interface Law {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly basis: Basis;
  readonly appliesTo: (operation: OperationId) => boolean;
  /** Returns what was expected; null if the answer is right, undefined if the law does not apply to it. */
  readonly judge: (exchange: Exchange) => string | null | undefined;
}
