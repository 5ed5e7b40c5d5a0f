import { createHash } from "node:crypto";

/** One commit of a deployment: the rows it changed, as SQLite records them. */
export interface Change {
  /** Counts from 1 without gaps. */
  readonly number: number;
  /** Of everything up to and including this change: two copies with the same hash have applied the same. */
  readonly hash: Uint8Array;
  readonly body: Uint8Array;
  /** Of the tables it was made in (see layout.ts); absent: those of a side database, which has only one. */
  readonly layout?: string | null;
}

/** Where a copy stands. */
export type Position = Pick<Change, "number" | "hash">;

export const beginning: Position = { number: 0, hash: new Uint8Array(32) };

/** What follows a position. */
export function nextChange(after: Position, body: Uint8Array): Change {
  const hash = createHash("sha256").update(after.hash).update(body).digest();
  return { number: after.number + 1, hash, body };
}

export const isSamePosition = (one: Position, other: Position): boolean =>
  one.number === other.number && Buffer.compare(one.hash, other.hash) === 0;
