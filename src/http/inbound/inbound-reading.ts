import type { PushedEntry } from "../../engine/read-push.ts";
import type { OperatorText } from "../../messages/message.ts";

/** What is wrong with a push, in no language yet. Plain data: readings cross threads. */
export interface InboundProblem {
  /** Where in the element; empty for all of it. */
  readonly field: string;
  readonly text: OperatorText;
  /** The field of the sender's own payload that feeds it. */
  readonly source?: string;
}

/** An element that cannot be stored. */
export interface RefusedElement {
  /** Its place in the list, from 0; null where the whole of the body is one element. */
  readonly index: number | null;
  /** Row of a CSV body, from 1. */
  readonly row?: number;
  readonly problems: readonly InboundProblem[];
}

/** A body read to its end, or why it could not be. */
export type InboundReading =
  | {
      /** In the order they stand in the body. */
      readonly entries: readonly PushedEntry[];
      readonly refused: readonly RefusedElement[];
      /** How many elements there were. */
      readonly count: number;
      readonly isList: boolean;
    }
  | { readonly unreadable: readonly InboundProblem[]; readonly problemCount: number };
