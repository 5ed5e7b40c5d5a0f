import type { OperationId } from "../contract/operations.ts";
import type { Basis } from "./sentences.ts";
import type { Trial } from "./trial.ts";

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
