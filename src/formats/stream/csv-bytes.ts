import type { CsvBytes } from "../csv/csv-rows.ts";
import { type Encoding, mustBeWrittenAnew, pieceDecoder, withoutEndMark } from "../encodings/encoding.ts";
import type { ByteFile } from "./byte-file.ts";

/** Holds a row and the row above it, each of the maximum length. */
const windowBytes = 4 << 20;
const pieceBytes = 1 << 20;

/** The content of a file from its start, as input for rows. */
export function csvBytes(file: ByteFile, encoding: Encoding, markLength: number): CsvBytes {
  return mustBeWrittenAnew.has(encoding)
    ? writtenAnew(file, encoding, markLength)
    : asItStands(file, encoding, markLength);
}

function asItStands(file: ByteFile, encoding: Encoding, markLength: number): CsvBytes {
  // One buffer for the whole file: a new one per chunk would stay in memory until it is collected.
  const buffer = Buffer.allocUnsafe(windowBytes);
  let position = markLength;
  const fill = (kept: number) => {
    const count = file.read(position, buffer.subarray(kept));
    position = kept + count < buffer.length ? file.size : position + count;
    const bytes = buffer.subarray(0, kept + count);
    return position < file.size ? bytes : withoutEndMark(bytes);
  };
  const bytes = fill(0);
  const more = (rest: Buffer) => {
    if (position >= file.size) return null;
    rest.copy(buffer);
    return fill(rest.length);
  };
  return { bytes, encoding, more };
}

function writtenAnew(file: ByteFile, encoding: Encoding, markLength: number): CsvBytes {
  const decode = pieceDecoder(encoding);
  const piece = Buffer.allocUnsafe(pieceBytes);
  let position = markLength;
  let isOver = false;
  const more = (rest: Buffer) => {
    if (isOver) return null;
    const count = file.read(position, piece);
    position += count;
    isOver = count < piece.length || position >= file.size;
    return Buffer.concat([rest, Buffer.from(decode(piece.subarray(0, count), isOver))]);
  };
  return { bytes: more(Buffer.alloc(0)) ?? Buffer.alloc(0), encoding: "utf-8", more };
}
