import type { StagedChunks } from "../../engine/intake/accept.ts";
import type { PushedEntry } from "../../engine/intake/read-push.ts";
import type { OperatorText } from "../../messages/message.ts";

/** A problem of a push, not yet translated. Plain data, because readings cross threads. */
export interface InboundProblem {
  /** The path in the element; empty for the element as a whole. */
  readonly field: string;
  readonly text: OperatorText;
  /** The sender's own field that feeds it. */
  readonly source?: string;
}

/** An element that cannot be stored. */
export interface RefusedElement {
  /** Its position in the list, from 0; null if the whole body is one element. */
  readonly index: number | null;
  /** Row of a CSV body, from 1. */
  readonly row?: number;
  readonly problems: readonly InboundProblem[];
}

/** What was found in a body besides its entries; of many bad elements the first ones. */
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

/** A completely read body, or why it could not be read. */
export type InboundReading =
  | {
      /** In the order they stand in the body. */
      readonly entries: readonly PushedEntry[];
      readonly refused: readonly RefusedElement[];
      /** How many elements there were. */
      readonly count: number;
      readonly isList: boolean;
      /** Of all refused elements, if not every problem is listed. */
      readonly problemCount?: number;
    }
  | Unreadable;

export const summaryOf = (reading: Exclude<InboundReading, Unreadable>): InboundSummary => {
  const { refused, count, isList, entries } = reading;
  const problemCount = reading.problemCount ?? refused.reduce((sum, one) => sum + problemsOf(one), 0);
  return { refused, problemCount, count, isList, good: entries.length };
};

/** Beyond a limit the problems of an element are not looked for; a bad one has at least one. */
export const problemsOf = ({ problems }: RefusedElement): number => Math.max(1, problems.length);

/** Larger pushes are read in another thread: even a short list would stall every other request in this one. */
export const pushThreadBytes = 32 * 1024;
/** Smaller ones too if they turn out to be wrong: a few kilobytes can have thousands of errors. */
export const badPushThreadBytes = 2 * 1024;

/** A push that is too long to be stored at once. */
export interface PushInParts {
  readonly parts: AsyncIterable<StagedChunks>;
  /** The other findings; call it after the last part. */
  readonly end: () => Promise<InboundSummary | Unreadable>;
  /** Call it in every case: the next push waits until this one is read or dropped. */
  readonly drop: () => void;
}

/** Reads large pushes, in another thread. */
export interface PushHandler {
  /** The bytes are transferred, not copied. Throws a fault if there are too many at once, or one takes too long. */
  readonly read: (push: {
    /** The id of the route it came in by. */
    readonly routeName: string;
    readonly body: Uint8Array;
    readonly sender: string;
  }) => Promise<InboundReading | PushInParts>;
  readonly close: () => Promise<void>;
}
