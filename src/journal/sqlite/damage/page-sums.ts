import { closeSync, constants, fsync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { errorCode } from "../../../kit/narrow.ts";

/**
 * A checksum of every page of the database file, in a separate file. SQLite itself has none: without these, nobody
 * would notice a byte that the disk changed in the middle of a text.
 */
export interface PageSums {
  /** How many pages are covered. */
  readonly pages: () => number;
  /** The sum of a page; null if none is known, or the stored sum is itself damaged. */
  readonly of: (page: number) => number | null;
  readonly set: (page: number, sum: number) => void;
  /** Writes the sums to the disk. This must happen before the pages themselves are written there. */
  readonly store: () => void;
  /** Writes the sums to the disk without blocking this thread. */
  readonly storeAsync: () => Promise<void>;
  readonly close: () => void;
}

const synced = promisify(fsync);
const sumBytes = 8;
const blockBytes = 4096;

export const sumsFileOf = (databaseFile: string) => `${databaseFile}.sums`;

export const sumOf = (page: Uint8Array): number => crc32(page);

/** The sums in the file; empty if it is missing. */
export function readSums(databaseFile: string): Buffer {
  try {
    return readFileSync(sumsFileOf(databaseFile));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

export function openSums(databaseFile: string, content = readSums(databaseFile)): PageSums {
  let bytes = content.subarray(0, content.length - (content.length % sumBytes));
  let length = bytes.length;
  const file = openSync(sumsFileOf(databaseFile), constants.O_RDWR | constants.O_CREAT, 0o600);
  const changed = new Set<number>();

  const grow = (needed: number) => {
    if (needed <= bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * bytes.length, blockBytes));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };

  const write = () => {
    for (const block of [...changed].sort((one, other) => one - other)) {
      const from = block * blockBytes;
      writeSync(file, bytes, from, Math.min(blockBytes, length - from), from);
    }
  };

  return {
    pages: () => length / sumBytes,
    of: (page) => sumIn(bytes.subarray(0, length), page),
    set: (page, sum) => {
      const at = (page - 1) * sumBytes;
      grow(at + sumBytes);
      length = Math.max(length, at + sumBytes);
      bytes.writeUInt32LE(sum, at);
      bytes.writeUInt32LE(checkOf(page, sum), at + 4);
      changed.add(Math.floor(at / blockBytes));
    },
    store: () => {
      if (changed.size === 0) return;
      write();
      fsyncSync(file);
      changed.clear();
    },
    storeAsync: async () => {
      if (changed.size === 0) return;
      write();
      const written = [...changed];
      changed.clear();
      try {
        await synced(file);
      } catch (error) {
        for (const block of written) changed.add(block);
        throw error;
      }
    },
    close: () => closeSync(file),
  };
}

/** Computes the sum of every page as it is in the file now. */
export function sumFile(databaseFile: string, sums: PageSums): void {
  const handle = openSync(databaseFile, "r");
  try {
    const head = Buffer.alloc(2);
    if (readSync(handle, head, 0, 2, 16) < 2) return;
    const pageBytes = head.readUInt16BE(0) === 1 ? 65_536 : head.readUInt16BE(0);
    const bytes = Buffer.alloc(pageBytes);
    for (let page = 1; readSync(handle, bytes, 0, pageBytes, (page - 1) * pageBytes) === pageBytes; page++) {
      sums.set(page, sumOf(bytes));
    }
    sums.store();
  } finally {
    closeSync(handle);
  }
}

/** The sum of a page as stored in these bytes. */
export function sumIn(bytes: Buffer, page: number): number | null {
  const at = (page - 1) * sumBytes;
  if (at + sumBytes > bytes.length) return null;
  const sum = bytes.readUInt32LE(at);
  return bytes.readUInt32LE(at + 4) === checkOf(page, sum) ? sum : null;
}

/**
 * Proves that a sum is intact. A page counts as damaged only if its sum is intact, so a damaged sum alone is no damage.
 */
const checkOf = (page: number, sum: number): number => (Math.imul(page, 0x9e3779b1) ^ sum ^ 0x5bd1e995) >>> 0;
