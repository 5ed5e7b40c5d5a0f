import { setImmediate as nextTurn } from "node:timers/promises";
import { textSlices } from "./write-in-turns.ts";

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
  return Buffer.concat(written);
}

/** Encodes a text as UTF-8. Other work of this thread runs between two slices of a long one. */
export const textInTurns = async (text: string): Promise<Buffer> =>
  text.length <= defaultTurnLength ? Buffer.from(text) : bytesInTurns([text]);
