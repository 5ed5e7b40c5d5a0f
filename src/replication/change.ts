import { createHash, hash as hashOf } from "node:crypto";

/** One commit of a deployment: the rows it changed, as SQLite records them. */
export interface Change {
  /** Counted from 1, without gaps. */
  readonly number: number;
  /**
   * The hash of all changes up to and including this one: two copies with the same hash have applied the same changes.
   */
  readonly hash: Uint8Array;
  readonly body: Uint8Array;
  /**
   * The layout of the tables when the change was recorded (see layout.ts); absent for a side database, which has only
   * one layout.
   */
  readonly layout?: string | null;
}

/** The last change that a copy has applied. */
export type Position = Pick<Change, "number" | "hash">;

export const beginning: Position = { number: 0, hash: new Uint8Array(32) };

/** A copy of so many bytes costs less than a hash that gets its parts one by one. */
const mostCopied = 2_048;

/** Returns the change that follows a position. */
export function nextChange(after: Position, body: Uint8Array): Change {
  const hash =
    body.length <= mostCopied
      ? hashOf("sha256", Buffer.concat([after.hash, body]), "buffer")
      : createHash("sha256").update(after.hash).update(body).digest();
  return { number: after.number + 1, hash, body };
}

export const isSamePosition = (one: Position, other: Position): boolean =>
  one.number === other.number && Buffer.compare(one.hash, other.hash) === 0;
