import type { IdempotentCall } from "./idempotency-record.ts";
import type { Appended } from "./journal.ts";

/**
 * A call that is too long for one commit: it is stored in chunks that nobody sees, and counts from one small
 * commit on. What is not committed leaves nothing behind, also where the process is killed.
 */
export interface Staging {
  /** Stores chunks. Their memory is handed over: it is empty here afterwards. */
  readonly add: (chunks: StagedChunks) => Promise<void>;
  /**
   * Makes all of it count, then turns chunk after chunk into entries, between the commits of the floor. Resolves when
   * the last of them is one. A process that is killed meanwhile goes on with it at its next start.
   */
  readonly commit: (idempotency: IdempotentCall | null) => Promise<StagedOutcome>;
  /** Nothing of it is wanted any more. To be called where it is not committed. */
  readonly drop: () => void;
}

/** Some chunks of packed entries: each few enough for one short commit. */
export interface StagedChunks {
  /** How many entries they hold together. */
  readonly count: number;
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
}

export type StagedOutcome =
  /** It was made before, under one of its names: nothing of it counts. */
  | { readonly isKnown: true }
  | {
      /** The ids of its entries in their order: JSON texts with commas between them, in pieces. */
      readonly idPieces: readonly Uint8Array[];
      readonly count: number;
      /** How many of them were repeats; of those it is the id of the entry they repeat. */
      readonly unchanged: number;
    };

/** Some entries of a committed call are in the journal now. */
export interface Moved {
  /** Those that have something to tell: to be delivered, or the end of others. */
  readonly appended: readonly Appended[];
  readonly touched: boolean;
}

/** The ids as they stand in a list of JSON. */
export const idPiece = (ids: readonly string[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(ids).slice(1, -1));

/** All of them as a list, for whoever needs them one by one. */
export function idsIn(pieces: Iterable<Uint8Array>): string[] {
  const decoder = new TextDecoder();
  const texts = [...pieces].filter(({ length }) => length > 0).map((piece) => decoder.decode(piece));
  // Pieces that `idPiece` wrote.
  return JSON.parse(`[${texts.join(",")}]`) as string[];
}

/** Whether anybody has to hear of it: the outbox, or those whose entries ended. */
export const hasNews = (one: Appended): boolean =>
  "seq" in one && (one.open !== null || one.emitted.length > 0 || one.superseded.length > 0);
