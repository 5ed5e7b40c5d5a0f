import type { IdempotentCall } from "./idempotency-record.ts";

/**
 * A call that is too long for one commit. It is stored in chunks that nobody sees, and one small commit makes it valid.
 * Without that commit it leaves nothing behind, even if the process is killed.
 */
export interface Staging {
  /** Stores chunks. Their memory is transferred: it is empty here afterwards. */
  readonly add: (chunks: StagedChunks) => Promise<void>;
  /**
   * Commits the call, then turns chunk after chunk into entries, between the commits of the floor. Resolves when the
   * last chunk is done. If the process is killed meanwhile, the next start continues it.
   */
  readonly commit: (idempotency: IdempotentCall | null) => Promise<StagedOutcome>;
  /** Discards the call. Must be called if it is not committed; has no effect after a commit. */
  readonly drop: () => void;
}

/** Some chunks of packed entries: each small enough for one short commit. */
export interface StagedChunks {
  /** How many entries the chunks hold together. */
  readonly count: number;
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
}

export type StagedOutcome =
  /** The call was made before with one of its keys, so nothing of it is stored. */
  | { readonly isKnown: true }
  | {
      /** The ids of its entries in their order: JSON texts with commas between them, in pieces. */
      readonly idPieces: readonly Uint8Array[];
      readonly count: number;
      /** How many of these entries were repeats; a repeat has the id of the entry that it repeats. */
      readonly unchanged: number;
    };

/** The ids as JSON, as they are written between the brackets of a list. */
export const idPiece = (ids: readonly string[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(ids).slice(1, -1));

/** All ids as a list. */
export function idsIn(pieces: Iterable<Uint8Array>): string[] {
  const decoder = new TextDecoder();
  const texts = [...pieces].filter(({ length }) => length > 0).map((piece) => decoder.decode(piece));
  // `idPiece` wrote these pieces.
  return JSON.parse(`[${texts.join(",")}]`) as string[];
}
