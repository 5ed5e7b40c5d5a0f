import type { StagedPart } from "../../engine/intake/accept.ts";
import type { PushedEntry } from "../../engine/intake/read-push.ts";
import type { OperatorText } from "../../messages/message.ts";

/** A problem of a push, not yet translated. Plain data, because readings cross threads. */
export interface InboundProblem {
  /** The path in the element; empty for the element as a whole. */
  readonly field: string;
  readonly text: OperatorText;
  /** The sender's own field that the member is made from. */
  readonly source?: string;
}

/** An element that cannot be stored. */
export interface RefusedElement {
  /** Its position in the list, from 0; null if the whole body is one element. */
  readonly index: number | null;
  /** The row of a CSV body, from 1. */
  readonly row?: number;
  readonly problems: readonly InboundProblem[];
}

/** The result of reading a body, without its entries. Of many bad elements only the first ones are listed. */
export interface InboundSummary {
  readonly refused: readonly RefusedElement[];
  /** The number of problems of all elements. */
  readonly problemCount: number;
  /** The number of elements. */
  readonly count: number;
  readonly isList: boolean;
  /** The number of elements that can be stored. */
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
      /** In the order of the body. */
      readonly entries: readonly PushedEntry[];
      readonly refused: readonly RefusedElement[];
      /** The number of elements. */
      readonly count: number;
      readonly isList: boolean;
      /** The problems of all refused elements; set if not every problem is listed. */
      readonly problemCount?: number;
    }
  | Unreadable;

export const summaryOf = (reading: Exclude<InboundReading, Unreadable>): InboundSummary => {
  const { refused, count, isList, entries } = reading;
  const problemCount = reading.problemCount ?? refused.reduce((sum, one) => sum + problemsOf(one), 0);
  return { refused, problemCount, count, isList, good: entries.length };
};

/** Above a limit, problems are not collected any more, so the list may be empty. A bad element has at least one. */
export const problemsOf = ({ problems }: RefusedElement): number => Math.max(1, problems.length);

/** Larger pushes are read in another thread: here, even a short list would stall every other request. */
export const pushThreadBytes = 32 * 1024;
/** Smaller pushes are read there too if they turn out to be wrong: a few kilobytes can have thousands of errors. */
export const badPushThreadBytes = 2 * 1024;

/** A push that is too long to be stored in one commit. */
export interface PushInParts {
  readonly parts: AsyncIterable<StagedPart>;
  /** Returns the rest of the result. Call it after the last part. */
  readonly end: () => Promise<InboundSummary | Unreadable>;
  /** Always call it: the next push waits until this one is read or dropped. */
  readonly drop: () => void;
}

/** Reads large pushes in another thread. */
export interface PushHandler {
  /**
   * The bytes are transferred, not copied. Throws a fault if there are too many pushes at once, or if one takes too
   * long.
   */
  readonly read: (push: {
    /** The name of the route that received the push. */
    readonly routeName: string;
    readonly body: Uint8Array;
    readonly sender: string;
    /** The trace of the request, which its entries continue; undefined if nothing is traced. */
    readonly trace: string | undefined;
  }) => Promise<InboundReading | PushInParts>;
  readonly close: () => Promise<void>;
}
