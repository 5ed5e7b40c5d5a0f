/** A call that takes effect once, however often it is sent. */
export interface IdempotentCall {
  /**
   * The keys of the call, such as the caller and the key it sent. If one of them is known, the call was made before.
   */
  readonly keys: readonly string[];
  /** Digest of the content. The same key with another digest is a different call, sent by mistake. */
  readonly digest: string;
  readonly at: number;
  /**
   * What the answer contains besides the ids, so that the same call gets the same answer whatever has changed since.
   */
  readonly note: string;
}

/** The stored result of an earlier call. */
export interface IdempotencyRecord {
  readonly digest: string;
  readonly at: number;
  readonly note: string;
  /** One per entry of that call, in its order; for a repeat, the id of the entry it repeats. */
  readonly ids: readonly string[];
  /** How many of these entries were repeats. */
  readonly unchanged: number;
  /**
   * Used instead of the list if the call was stored in chunks. The ids are read during iteration, which works only
   * once.
   */
  readonly inPieces?: { readonly count: number; readonly idPieces: Iterable<Uint8Array> };
}

/** Longer than any sender keeps retrying; entries are kept longer than that. */
export const idempotencyWindowMs = 7 * 24 * 3600 * 1000;
/** Limit of records, which take about 300 MB of disk at most. Above it, the oldest records are deleted early. */
export const maxIdempotencyRecords = 1_000_000;
/** How many expired records each new one deletes, so that their number never grows and no call waits for a clean-up. */
export const forgottenPerCall = 4;
