import type { StagedChunks } from "../../engine/accept.ts";
import type { InboundReading, InboundSummary, Unreadable } from "./inbound-reading.ts";

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
export interface PushRoad {
  /** The bytes are handed over, not copied. Throws a fault where there are too many at once, or one takes too long. */
  readonly read: (push: {
    /** Of the route it came in by. */
    readonly routeName: string;
    readonly body: Uint8Array;
    readonly sender: string;
  }) => Promise<InboundReading | PushInParts>;
  readonly close: () => Promise<void>;
}
