/** A call that takes effect once, however often it comes. */
export interface IdempotentCall {
  /** Names of the call, such as who calls and the key they sent. Known under one of them, it was made before. */
  readonly keys: readonly string[];
  /** What was said. The same key with another digest is another call by mistake. */
  readonly digest: string;
  readonly at: number;
  /** What the answer is made of besides the ids, so that the same call gets the same answer whatever has changed since. */
  readonly note: string;
}

/** What is known of a call that was made before. */
export interface IdempotencyRecord {
  readonly digest: string;
  readonly at: number;
  readonly note: string;
  /** One per entry of that call, in its order; of a repeat the id of the entry it repeats. */
  readonly ids: readonly string[];
  /** How many of them were repeats. */
  readonly unchanged: number;
  /** Instead of the list where the call was stored in chunks; read when they are gone through, which may be once. */
  readonly inPieces?: { readonly count: number; readonly idPieces: Iterable<Uint8Array> };
}

/** Long enough for every sender that gives up at all; entries are kept longer than that. */
export const idempotencyWindowMs = 7 * 24 * 3600 * 1000;
/** Some 300 MB of disk at most. Where there are more, the oldest are forgotten early. */
export const maxIdempotencyRecords = 1_000_000;
/** Of those that are over, so many go with each that comes: their number never grows, and nobody waits for a clean-up. */
export const forgottenPerCall = 4;
