import { isAscii, isUtf8 } from "node:buffer";
import type { Message } from "../../messages/message.ts";
import { byteOrderMark, type Encoding } from "../encodings/encoding.ts";
import {
  asciiOrUtf7,
  byWords,
  checked,
  type FoundEncoding,
  isSingleByte,
  utf16Of,
} from "../encodings/find-encoding.ts";
import { utf7Flaw } from "../encodings/utf7.ts";
import { type ByteFile, startOf } from "./byte-file.ts";

const startBytes = 4_096;
/** Limit of the sampled lines with non-ASCII letters, in bytes; more give no new evidence. */
const mostSampled = 128 << 10;
const mostOfLine = 400;
/** Limit of sampled lines that look like UTF-8 in a file that is not UTF-8. */
const mostSuspected = 50;
const lineFeed = 10;

/**
 * `findEncoding` for a file that is streamed: the whole file is validated chunk by chunk, and
 * its letters are judged by a bounded sample in which every byte value of the file has a line.
 */
export function findEncodingOf(file: ByteFile, fixed: Encoding | undefined): FoundEncoding {
  const start = startOf(file, startBytes);
  const mark = byteOrderMark(start);
  if (mark !== null) return throughout(file, mark.encoding, mark.length);
  if (fixed !== undefined) return throughout(file, isSingleByte(fixed) && allPieces(file, isUtf8) ? "utf-8" : fixed, 0);
  const wide = utf16Of(start);
  if (wide !== null) return throughout(file, wide, 0);
  if (allPieces(file, isAscii)) return asciiOrUtf7(utf7FlawOf(file));
  if (allPieces(file, isUtf8)) return throughout(file, "utf-8", 0);
  const { sample, rows } = oddLines(file, start);
  const found = byWords(sample);
  if (!("refusal" in found)) return throughout(file, found.encoding, 0);
  return { refusal: withRows(found.refusal, (row) => rows[row - 1] ?? row) };
}

function utf7FlawOf(file: ByteFile): Message | null {
  for (const { position, bytes } of linePieces(file, 0, "utf-8")) {
    const flaw = utf7Flaw(bytes);
    if (flaw === null) continue;
    const before = rowsBefore(file, position);
    return withRows(flaw, (row) => row + before);
  }
  return null;
}

function allPieces(file: ByteFile, holds: (bytes: Buffer) => boolean): boolean {
  for (const { bytes } of linePieces(file, 0, "utf-8")) if (!holds(bytes)) return false;
  return true;
}

/** Refuses the file if it has bytes that are not text in this encoding. */
function throughout(file: ByteFile, encoding: Encoding, markLength: number): FoundEncoding {
  for (const { position, bytes } of linePieces(file, markLength, encoding)) {
    const found = checked(bytes, encoding, 0);
    if (!("refusal" in found)) continue;
    const before = rowsBefore(file, position);
    return { refusal: withRows(found.refusal, (row) => row + before) };
  }
  return { encoding, markLength, certainty: 1 };
}

function withRows({ key, values }: Message, place: (row: number) => number): Message {
  const moved = ["row", "otherRow"].flatMap((name) => {
    const row = values[name];
    return typeof row === "number" ? [[name, place(row)] as const] : [];
  });
  return { key, values: { ...values, ...Object.fromEntries(moved) } };
}

/** Samples the start of the file and lines with non-ASCII bytes; `rows` has the row number of each sampled line. */
function oddLines(file: ByteFile, start: Buffer): { sample: Buffer; rows: number[] } {
  const head = start.subarray(0, start.lastIndexOf(lineFeed) + 1);
  const lines: Buffer[] = [Buffer.from(head)];
  const rows: number[] = [];
  for (const byte of head) if (byte === lineFeed) rows.push(rows.length + 1);
  const used = new Uint8Array(256);
  let row = 1;
  let sampled = 0;
  let suspected = 0;
  for (const { position, bytes } of linePieces(file, 0, "utf-8")) {
    for (let from = 0; from < bytes.length; row++) {
      const found = bytes.indexOf(lineFeed, from);
      const end = found < 0 ? bytes.length : found + 1;
      const line = bytes.subarray(from, end);
      from = end;
      if (position + from <= head.length || isAscii(line)) continue;
      const at = reasonToKeep(line, used);
      const isSuspect = suspected < mostSuspected && looksLikeUtf8(line);
      if (at < 0 && !isSuspect && sampled >= mostSampled) continue;
      if (isSuspect) suspected++;
      // A row of a megabyte would fill the whole sample.
      const kept = Buffer.from(line.subarray(Math.max(0, at - mostOfLine / 2), Math.max(0, at) + mostOfLine));
      lines.push(kept.at(-1) === lineFeed ? kept : Buffer.concat([kept, Buffer.from("\n")]));
      rows.push(row);
      sampled += kept.length;
    }
  }
  return { sample: Buffer.concat(lines), rows };
}

/** The offset of a byte value that the sample does not have yet; -1 if there is none. */
function reasonToKeep(line: Buffer, used: Uint8Array): number {
  let place = -1;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte < 128 || used[byte] === 1) continue;
    if (place < 0) place = at;
    else if (at >= place + mostOfLine) break;
    used[byte] = 1;
  }
  return place;
}

function looksLikeUtf8(line: Buffer): boolean {
  for (let at = 0; at + 1 < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte >= 0xc3 && byte <= 0xc5 && ((line[at + 1] ?? 0) & 0xc0) === 0x80) return true;
  }
  return false;
}

const pieceBytes = 1 << 20;
const carriageReturn = 13;

interface LinePiece {
  readonly position: number;
  /** Valid until the next chunk. */
  readonly bytes: Buffer;
}

/** A file from an offset, in chunks that end with a line, so that no character is split. */
function* linePieces(file: ByteFile, from: number, encoding: Encoding): Generator<LinePiece> {
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
function rowsBefore(file: ByteFile, place: number): number {
  let rows = 0;
  for (const { position, bytes } of linePieces(file, 0, "utf-8")) {
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
      if (position + at >= place) return rows;
      rows++;
    }
  }
  return rows;
}

/** The offset after the last line end; without one, after the last complete character, as far as the bytes show it. */
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
