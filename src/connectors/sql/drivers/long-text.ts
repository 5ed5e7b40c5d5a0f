import { bytesInTurns } from "../../../kit/json/bytes-in-turns.ts";
import type { BoundValue } from "../statement/dialect.ts";

/** Encoding a text of this length takes less than a millisecond. */
const longLength = 64 * 1024;

/** A long text of a statement, already encoded as UTF-8. */
export class LongText {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** The values of a statement as they are passed to a library. */
export type GivenValue = BoundValue | LongText;

/**
 * Encodes the long texts of a statement. The libraries encode a value at once: eight megabytes would stall every
 * request for tens of milliseconds. Other requests run meanwhile here.
 */
export async function encodedInTurns(values: readonly BoundValue[]): Promise<readonly GivenValue[]> {
  if (!values.some(isLong)) return values;
  const encoded: GivenValue[] = [];
  for (const value of values) encoded.push(isLong(value) ? new LongText(await bytesInTurns([value])) : value);
  return encoded;
}

const isLong = (value: BoundValue): value is string => typeof value === "string" && value.length > longLength;
