import { setImmediate as nextTurn } from "node:timers/promises";
import { textSlices, writtenPieces } from "./write-in-turns.ts";

export type Pieces = Iterable<string> | AsyncIterable<string>;

/** Encoding this much takes less than a millisecond. */
const defaultTurnLength = 64 * 1024;

/** Makes and encodes a text piece by piece as UTF-8. Other work of this thread runs in between. */
export async function bytesInTurns(pieces: Pieces, turnLength = defaultTurnLength): Promise<Buffer> {
  const written: Buffer[] = [];
  let waiting: string[] = [];
  let length = 0;
  const encode = () => {
    written.push(Buffer.from(waiting.join("")));
    waiting = [];
    length = 0;
  };
  for await (const piece of pieces) {
    for (const slice of textSlices(piece, turnLength)) {
      waiting.push(slice);
      length += slice.length;
      if (length < turnLength) continue;
      encode();
      await nextTurn();
    }
  }
  encode();
  return await joinedInTurns(written);
}

/** Copying this much into new memory takes about a millisecond. */
const copiedPerTurn = 1024 * 1024;

/** Like `Buffer.concat`. Other work of this thread runs in between. */
export async function joinedInTurns(parts: readonly Buffer[]): Promise<Buffer> {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= copiedPerTurn) return Buffer.concat(parts);
  const whole = Buffer.allocUnsafe(bytes);
  let at = 0;
  let turnAt = copiedPerTurn;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    if (at < turnAt) continue;
    turnAt = at + copiedPerTurn;
    await nextTurn();
  }
  return whole;
}

/** Encodes a text as UTF-8. Other work of this thread runs between two slices of a long one. */
export const textInTurns = async (text: string): Promise<Buffer> =>
  text.length <= defaultTurnLength ? Buffer.from(text) : bytesInTurns([text]);

/** Returns the bytes of `JSON.stringify`, without ever holding a long text as a whole. Empty if the value has no JSON. */
export const jsonInTurns = async (value: unknown): Promise<Buffer> => {
  const pieces = writtenPieces(value);
  return pieces === null ? Buffer.from(JSON.stringify(value) ?? "") : bytesInTurns(pieces);
};

/**
 * Decodes UTF-8. Other work of this thread runs between two slices of a long text, which are never cut inside a
 * character.
 */
export async function bytesAsText(bytes: Uint8Array, turnLength = defaultTurnLength): Promise<string> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoded: string[] = [];
  for (let from = 0; from < whole.length; ) {
    let to = from + turnLength;
    while (((whole[to] ?? 0) & 0xc0) === 0x80) to++;
    decoded.push(whole.toString("utf8", from, to));
    from = to;
    if (from < whole.length) await nextTurn();
  }
  return decoded.join("");
}
