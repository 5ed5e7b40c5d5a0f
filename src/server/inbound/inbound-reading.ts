import type { StagedChunks } from "../../engine/intake/accept.ts";
import type { PushedEntry } from "../../engine/intake/read-push.ts";
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

/** What was found in a body besides its entries; of many bad elements the first. */
export interface InboundSummary {
  readonly refused: readonly RefusedElement[];
  /** Of all of them. */
  readonly problemCount: number;
  /** How many elements there were. */
  readonly count: number;
  readonly isList: boolean;
  /** How many of them can be stored. */
  readonly good: number;
}

/** Why a body could not be read. */
export interface Unreadable {
  readonly unreadable: readonly InboundProblem[];
  readonly problemCount: number;
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
  | Unreadable;

export const summaryOf = (reading: Exclude<InboundReading, Unreadable>): InboundSummary => {
  const { refused, count, isList, entries } = reading;
  const problemCount = refused.reduce((sum, { problems }) => sum + problems.length, 0);
  return { refused, problemCount, count, isList, good: entries.length };
};

/** Pushes above this are read in another thread: a short list in this one would stall every other request. */
export const pushThreadBytes = 32 * 1024;

/** A push that is too long to be stored in one go. */
export interface PushInParts {
  readonly parts: AsyncIterable<StagedChunks>;
  /** What else was found in it; to be called behind the last part. */
  readonly end: () => Promise<InboundSummary | Unreadable>;
  /** To be called whatever became of it: the next push waits until this one was read, or is not wanted any more. */
  readonly drop: () => void;
}

/** Reads large pushes, in another thread. */
export interface PushHandler {
  /** The bytes are handed over, not copied. Throws a fault where there are too many at once, or one takes too long. */
  readonly read: (push: {
    /** Of the route it came in by. */
    readonly routeName: string;
    readonly body: Uint8Array;
    readonly sender: string;
  }) => Promise<InboundReading | PushInParts>;
  readonly close: () => Promise<void>;
}
