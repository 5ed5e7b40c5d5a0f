import { closeSync, openSync, readSync } from "node:fs";
import { errorCode } from "../narrow.ts";

/** One page of the write-ahead log. */
export interface LogFrame {
  /** Counted from 1. */
  readonly frame: number;
  readonly page: number;
  /** The number of pages of the database after this frame if it ends a commit, otherwise 0. */
  readonly pagesAfter: number;
  /** Whether it was written since the last restart of the log. Other frames are left over from an earlier round. */
  readonly isOfThisRound: boolean;
  /** Whether its checksum continues the stored checksum of the previous frame. */
  readonly isSound: boolean;
  /**
   * What its checksum says of a frame that is not sound, if only the number of its page or of the pages after it was
   * changed. If its content was changed as well, these are any numbers.
   */
  readonly headBySum: () => { readonly page: number; readonly pagesAfter: number };
  /** Whether this frame and all frames before it are intact. SQLite itself would read those. */
  readonly isChained: boolean;
  /** Valid until the next frame is read. */
  readonly bytes: Uint8Array;
}

export interface LogFile {
  readonly pageBytes: number;
  /** They change whenever the log restarts; the first is incremented by one. */
  readonly salts: readonly [number, number];
  /** The number of frames up to the end of the last readable commit. */
  readonly frames: number;
  /** The pages of those frames. */
  readonly pages: ReadonlySet<number>;
  /** How many pages the database has after them. */
  readonly databasePages: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const framesPerRead = 256;
/**
 * Fewer, because the pages of every commit are visited: with a megabyte each time, the thread that writes would collect
 * all its garbage every second.
 */
const framesPerVisit = 16;
const littleEndian = 0x377f0682;
const bigEndian = 0x377f0683;

/** Reads what SQLite would read of the log; null if there is no log, or none that SQLite would accept. */
export function readLog(file: string): LogFile | null {
  let head: LogHead | null = null;
  let frames = 0;
  let databasePages = 0;
  const pages = new Set<number>();
  let pending: number[] = [];
  walkLog(file, {
    onHead: (found) => {
      head = found;
    },
    onFrame: ({ frame, page, pagesAfter, isChained }) => {
      if (!isChained) return "stop";
      pending.push(page);
      if (pagesAfter === 0) return "go on";
      frames = frame;
      databasePages = pagesAfter;
      for (const one of pending) pages.add(one);
      pending = [];
      return "go on";
    },
  });
  // A callback sets it, which the compiler does not see: it assumes null.
  const found = head as LogHead | null;
  if (found === null) return null;
  return { pageBytes: found.pageBytes, salts: found.salts, frames, pages, databasePages };
}

export interface LogHead {
  readonly pageBytes: number;
  readonly salts: readonly [number, number];
}

export interface LogVisitor {
  readonly onHead?: (head: LogHead) => void;
  /** The known header of a log whose own header is damaged. */
  readonly headIfDamaged?: LogHead | undefined;
  readonly onFrame: (frame: LogFrame) => "go on" | "stop";
}

/** Visits the frames from the first. A log that is missing or has no readable header has none. */
export function walkLog(file: string, visitor: LogVisitor): void {
  const handle = opened(file);
  if (handle === null) return;
  try {
    const known = visitor.headIfDamaged;
    const head = readHead(handle) ?? (known && { ...known, isSwapped: false, sum: [0, 0] as const });
    if (head === undefined) return;
    visitor.onHead?.(head);
    walkFrames(handle, head, visitor.onFrame);
  } finally {
    closeSync(handle);
  }
}

/** Visits the pages of some frames without checking them, for the process that has just written them. */
export function eachPage(file: string, frames: { from: number; to: number }, visit: PageVisitor): void {
  const handle = opened(file);
  if (handle === null) return;
  try {
    const head = readHead(handle);
    if (head === null) throw new Error(`${file} cannot be read`);
    const size = frameHeaderBytes + head.pageBytes;
    const buffer = Buffer.alloc(size * Math.min(framesPerVisit, frames.to - frames.from));
    for (let frame = frames.from; frame < frames.to; frame += framesPerVisit) {
      const wanted = Math.min(framesPerVisit, frames.to - frame) * size;
      const read = readSync(handle, buffer, 0, wanted, headerBytes + frame * size);
      if (read < wanted) throw new Error(`${file} is shorter than before`);
      for (let at = 0; at < wanted; at += size) {
        visit(buffer.readUInt32BE(at), buffer.subarray(at + frameHeaderBytes, at + size));
      }
    }
  } finally {
    closeSync(handle);
  }
}

/** Visits the page numbers of some frames without checking them, for the process that has just written them. */
export function eachPageNumber(
  file: string,
  frames: { from: number; to: number },
  visit: (page: number) => void,
): void {
  const handle = opened(file);
  if (handle === null) return;
  try {
    const head = readHead(handle);
    if (head === null) throw new Error(`${file} cannot be read`);
    const number = Buffer.alloc(4);
    for (let frame = frames.from; frame < frames.to; frame++) {
      const at = headerBytes + frame * (frameHeaderBytes + head.pageBytes);
      if (readSync(handle, number, 0, 4, at) < 4) throw new Error(`${file} is shorter than before`);
      visit(number.readUInt32BE(0));
    }
  } finally {
    closeSync(handle);
  }
}

type PageVisitor = (page: number, bytes: Uint8Array) => void;

/** Reads the two salts of the current log without checking it. */
export function saltsOf(file: string): readonly [number, number] | null {
  const handle = opened(file);
  if (handle === null) return null;
  try {
    const bytes = Buffer.alloc(8);
    return readSync(handle, bytes, 0, 8, 16) === 8 ? [bytes.readUInt32BE(0), bytes.readUInt32BE(4)] : null;
  } finally {
    closeSync(handle);
  }
}

function opened(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

interface CheckedHead extends LogHead {
  readonly isSwapped: boolean;
  readonly sum: Sum;
}

function readHead(handle: number): CheckedHead | null {
  const bytes = Buffer.alloc(headerBytes);
  if (readSync(handle, bytes, 0, headerBytes, 0) < headerBytes) return null;
  const magic = bytes.readUInt32BE(0);
  if (magic !== littleEndian && magic !== bigEndian) return null;
  const isSwapped = magic === bigEndian;
  const pageBytes = bytes.readUInt32BE(8);
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) return null;
  const sum = summed([0, 0], wordsOf(bytes, 0, 24), isSwapped);
  if (sum[0] !== bytes.readUInt32BE(24) || sum[1] !== bytes.readUInt32BE(28)) return null;
  return { pageBytes, isSwapped, sum, salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] };
}

function walkFrames(handle: number, head: CheckedHead, onFrame: LogVisitor["onFrame"]): void {
  const size = frameHeaderBytes + head.pageBytes;
  const buffer = Buffer.alloc(size * framesPerRead);
  let sumBefore = head.sum;
  let isChained = true;
  let frame = 0;
  for (;;) {
    const read = readSync(handle, buffer, 0, buffer.length, headerBytes + frame * size);
    for (let at = 0; at + size <= read; at += size) {
      frame++;
      const salts = [buffer.readUInt32BE(at + 8), buffer.readUInt32BE(at + 12)] as const;
      const stored: Sum = [buffer.readUInt32BE(at + 16), buffer.readUInt32BE(at + 20)];
      const isOfThisRound = salts[0] === head.salts[0] && salts[1] === head.salts[1];
      const ofHeader = summed(sumBefore, wordsOf(buffer, at, 8), head.isSwapped);
      const content = wordsOf(buffer, at + frameHeaderBytes, head.pageBytes);
      const sum = summed(ofHeader, content, head.isSwapped);
      const page = buffer.readUInt32BE(at);
      const isSound = isOfThisRound && page > 0 && sum[0] === stored[0] && sum[1] === stored[1];
      isChained &&= isSound;
      const bytes = buffer.subarray(at + frameHeaderBytes, at + size);
      const pagesAfter = buffer.readUInt32BE(at + 4);
      const start = sumBefore;
      const headBySum = () => headBefore(start, stored, content, head.isSwapped);
      const found = { frame, page, pagesAfter, isOfThisRound, isSound, isChained, headBySum, bytes };
      if (onFrame(found) === "stop") return;
      sumBefore = stored;
    }
    if (read < buffer.length) return;
  }
}

type Sum = readonly [number, number];

/** Frames and their parts start at multiples of eight bytes, so the words can be read in place. */
const wordsOf = (bytes: Buffer, from: number, length: number): Uint32Array =>
  new Uint32Array(bytes.buffer, bytes.byteOffset + from, length / 4);

/** The checksum of SQLite's log: two running sums over pairs of words. */
function summed([first, second]: Sum, words: Uint32Array, isSwapped: boolean): Sum {
  let one = first;
  let two = second;
  for (let index = 0; index < words.length; index += 2) {
    const left = words[index] ?? 0;
    const right = words[index + 1] ?? 0;
    one = (one + (isSwapped ? swapped(left) : left) + two) >>> 0;
    two = (two + (isSwapped ? swapped(right) : right) + one) >>> 0;
  }
  return [one, two];
}

/** Computes the checksum backwards: the two words between the start and the content are what is left over. */
function headBefore(start: Sum, stored: Sum, content: Uint32Array, isSwapped: boolean) {
  let [one, two] = stored;
  for (let index = content.length - 2; index >= 0; index -= 2) {
    const left = content[index] ?? 0;
    const right = content[index + 1] ?? 0;
    two = (two - (isSwapped ? swapped(right) : right) - one) >>> 0;
    one = (one - (isSwapped ? swapped(left) : left) - two) >>> 0;
  }
  const page = (one - start[0] - start[1]) >>> 0;
  const pagesAfter = (two - start[1] - one) >>> 0;
  return isSwapped ? { page, pagesAfter } : { page: swapped(page), pagesAfter: swapped(pagesAfter) };
}

const swapped = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
