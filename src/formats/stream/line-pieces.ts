import type { Encoding } from "../encodings/encoding.ts";
import type { ByteFile } from "./byte-file.ts";

const pieceBytes = 1 << 20;
const lineFeed = 10;
const carriageReturn = 13;

export interface LinePiece {
  readonly position: number;
  /** Valid until the next chunk. */
  readonly bytes: Buffer;
}

/** A file from an offset, in chunks that end with a line, so that no character is split. */
export function* linePieces(file: ByteFile, from: number, encoding: Encoding): Generator<LinePiece> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let position = from;
  while (position < file.size) {
    const bytes = buffer.subarray(0, file.read(position, buffer));
    if (bytes.length === 0) return;
    const isLast = position + bytes.length >= file.size;
    const piece = isLast ? bytes : bytes.subarray(0, lineEnd(bytes, encoding));
    yield { position, bytes: piece };
    position += piece.length;
  }
}

/** The number of rows that end before an offset. */
export function rowsBefore(file: ByteFile, place: number): number {
  let rows = 0;
  for (const { position, bytes } of linePieces(file, 0, "utf-8")) {
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
      if (position + at >= place) return rows;
      rows++;
    }
  }
  return rows;
}

/** After the last line end; without one, after the last complete character, as far as the bytes show it. */
function lineEnd(bytes: Buffer, encoding: Encoding): number {
  const isWide = encoding === "utf-16le" || encoding === "utf-16be";
  if (!isWide) {
    const end = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    return end > 0 ? end : wholeCharacters(bytes);
  }
  const low = encoding === "utf-16le" ? 0 : 1;
  for (let at = (bytes.length & ~1) - 2; at >= 0; at -= 2) {
    if (bytes[at + low] === lineFeed && bytes[at + 1 - low] === 0) return at + 2;
  }
  return bytes.length & ~1;
}

function wholeCharacters(bytes: Buffer): number {
  let end = bytes.length;
  while (end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return ((bytes[end - 1] ?? 0) & 0xc0) === 0xc0 ? end - 1 : bytes.length;
}
