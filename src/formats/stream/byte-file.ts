import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { CsvBytes } from "../csv/csv-rows.ts";
import { type Encoding, mustBeWrittenAnew, pieceDecoder, withoutEndMark } from "../encodings/encoding.ts";

/** A file that is read in chunks, as often as needed. It must not change meanwhile. */
export interface ByteFile {
  readonly size: number;
  /** Fills the buffer from an offset; less only at the end of the file. */
  readonly read: (position: number, buffer: Buffer) => number;
}

/** A local file. Reading blocks, so use it only in worker threads. */
export function openByteFile(path: string): ByteFile & { readonly close: () => void } {
  const handle = openSync(path, "r");
  return {
    size: fstatSync(handle).size,
    read: (position, buffer) => {
      let count = 0;
      while (count < buffer.length) {
        const got = readSync(handle, buffer, count, buffer.length - count, position + count);
        if (got === 0) break;
        count += got;
      }
      return count;
    },
    close: () => closeSync(handle),
  };
}

/** Bytes in memory in the form of a ByteFile. */
export const byteFileOf = (bytes: Buffer): ByteFile => ({
  size: bytes.length,
  read: (position, buffer) => bytes.copy(buffer, 0, position, Math.min(bytes.length, position + buffer.length)),
});

export function startOf(file: ByteFile, length: number): Buffer {
  const buffer = Buffer.alloc(Math.min(length, file.size));
  return buffer.subarray(0, file.read(0, buffer));
}

/** Room for a row and the row above it, each of the maximum length. */
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
