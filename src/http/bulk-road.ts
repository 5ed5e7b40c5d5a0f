import type { AskId } from "../contract/operations.ts";
import type { Fact } from "../sdk/outcome.ts";

/** Bodies above this leave the main thread: parsing them would stall every other request. */
export const bulkBytes = 128 * 1024;

export interface BulkAnswer {
  readonly status: number;
  readonly contentType: string;
  /** As they come: the first are on their way out while the last are still computed. */
  readonly chunks: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>;
  readonly facts: readonly Fact[];
  readonly result?: string;
}

/** A large body on its way in: what has arrived may be worked on while the rest still travels. */
export interface BulkArrival {
  readonly take: (chunk: Uint8Array) => void;
  /** Answers, now that all of it is here. */
  readonly ask: () => Promise<BulkAnswer>;
  /** The rest will not come; nothing of it is needed any more. */
  readonly drop: () => void;
}

/** The same road, in another thread. */
export interface BulkRoad {
  /** Whether this question is answered there at all; absent: all are. */
  readonly takes?: (id: AskId) => boolean;
  readonly receive: (id: AskId, acceptLanguage: string | undefined) => BulkArrival;
  readonly close: () => Promise<void>;
}
