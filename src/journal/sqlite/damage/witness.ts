import { closeSync, constants, fdatasync, fsyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { errorCode } from "../../../kit/narrow.ts";

/** What was stored last, recorded outside the database and its log. */
export interface Witness {
  /** The salts of the log that held the last commit; see `LogFile`. */
  readonly salts: readonly [number, number];
  /** How many frames of that log were committed. */
  readonly frames: number;
  /** Whether all of these frames are in the database file as well, so that the log may be missing. */
  readonly isFolded: boolean;
  /** The number of the last entry. */
  readonly lastSeq: number;
  /**
   * The stamp of the database file after the last fold; null if unknown, and the whole file is checked at the start.
   */
  readonly stamp: FileStamp | null;
  /** The number of pages that were found damaged at run time. They make the next start be refused. */
  readonly badPages: number;
  /** The same as in the journal's mark. 0 if there is no mark: for a copy, or in a record of an older version. */
  readonly journalId: number;
}

export interface WitnessFile {
  /**
   * Call after each commit and before its answers. The operating system has the data at once, the disk a moment later.
   */
  readonly write: (witness: Witness) => void;
  readonly sync: () => void;
  /** How often the witness was written since the journal began. */
  readonly changes: () => number;
  readonly close: () => void;
}

export type FoundWitness =
  | { readonly witness: Witness; readonly state: "whole" | "half"; readonly changes: number }
  | { readonly witness: null; readonly state: "missing" | "damaged"; readonly changes: 0 };

const magic = 0x57544e31;
const recordBytes = 64;
/** The records are used alternately, so that an incomplete write leaves the other one intact. */
const records = 2;
/** After a power cut the witness may be this old. */
const syncEveryMs = 1_000;

export const witnessFileOf = (databaseFile: string) => `${databaseFile}.witness`;

export function readWitness(databaseFile: string): FoundWitness {
  let bytes: Buffer;
  try {
    bytes = readFileSync(witnessFileOf(databaseFile));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { witness: null, state: "missing", changes: 0 };
    throw error;
  }
  const found = Array.from({ length: records }, (_, index) => recordIn(bytes, index * recordBytes));
  const valid = found.filter((record) => record !== null).sort((one, other) => other.nth - one.nth);
  const [latest] = valid;
  if (latest === undefined) return { witness: null, state: "damaged", changes: 0 };
  return { witness: latest.witness, state: valid.length === records ? "whole" : "half", changes: latest.nth };
}

export interface WitnessOptions {
  /** How often it was written before. */
  readonly changes: number;
  /** Called when the disk has all changes up to this number. */
  readonly onSynced?: (changes: number) => void;
}

/** Writes the current state to both records. */
export function openWitness(
  databaseFile: string,
  first: Witness,
  { changes, onSynced = () => {} }: WitnessOptions,
): WitnessFile {
  const file = openSync(witnessFileOf(databaseFile), constants.O_RDWR | constants.O_CREAT, 0o600);
  let nth = changes;
  let isSyncing = false;
  let isChanged = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const bytes = Buffer.alloc(recordBytes);

  const put = (witness: Witness) => {
    const next = nth + 1;
    fill(bytes, next, witness);
    writeSync(file, bytes, 0, recordBytes, (next % records) * recordBytes);
    nth = next;
  };
  const syncLater = () => {
    isChanged = true;
    if (isSyncing || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      isSyncing = true;
      isChanged = false;
      const before = nth;
      // Runs in a thread of the system, because the writer must not wait for a second sync.
      fdatasync(file, (error) => {
        isSyncing = false;
        if (error === null && !isClosed) onSynced(before);
        if (isChanged) syncLater();
      });
    }, syncEveryMs).unref();
  };
  put(first);
  put(first);
  fsyncSync(file);

  return {
    write: (witness) => {
      try {
        put(witness);
        syncLater();
      } catch {
        // The commit itself is stored. The witness is now one commit behind, and the next write corrects it.
      }
    },
    sync: () => fsyncSync(file),
    changes: () => nth,
    close: () => {
      clearTimeout(timer);
      isChanged = false;
      isClosed = true;
      closeSync(file);
    },
  };
}

const mostBadPages = 2 ** 30;

function fill(bytes: Buffer, nth: number, witness: Witness): void {
  const { salts, frames, isFolded, lastSeq, stamp, badPages, journalId } = witness;
  bytes.fill(0);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeDoubleLE(nth, 8);
  bytes.writeUInt32LE(salts[0], 16);
  bytes.writeUInt32LE(salts[1], 20);
  bytes.writeDoubleLE(frames, 24);
  bytes.writeDoubleLE(lastSeq, 32);
  bytes.writeUInt32LE((isFolded ? 1 : 0) + 2 * Math.min(badPages, mostBadPages), 40);
  bytes.writeUInt32LE(journalId, 44);
  bytes.writeDoubleLE(stamp?.changedAtMs ?? 0, 48);
  bytes.writeDoubleLE(stamp?.bytes ?? 0, 56);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
}

function recordIn(bytes: Buffer, at: number): { readonly nth: number; readonly witness: Witness } | null {
  const record = bytes.subarray(at, at + recordBytes);
  if (record.length < recordBytes || record.readUInt32LE(0) !== magic) return null;
  if (record.readUInt32LE(4) !== crc32(record.subarray(8))) return null;
  const salts = [record.readUInt32LE(16), record.readUInt32LE(20)] as const;
  const numbers = { frames: record.readDoubleLE(24), lastSeq: record.readDoubleLE(32) };
  const folded = record.readUInt32LE(40);
  const found = { isFolded: folded % 2 === 1, badPages: Math.floor(folded / 2) };
  const stamp = { changedAtMs: record.readDoubleLE(48), bytes: record.readDoubleLE(56) };
  const journalId = record.readUInt32LE(44);
  // Both values are 0 in a record of an older version.
  const known = stamp.bytes === 0 ? null : stamp;
  return { nth: record.readDoubleLE(8), witness: { salts, ...numbers, ...found, stamp: known, journalId } };
}

/**
 * Detects another program's write to a file without reading it. It does not detect a byte that the disk itself changed.
 */
interface FileStamp {
  /** In whole milliseconds, because not every copy of a file keeps the time more precisely. */
  readonly changedAtMs: number;
  readonly bytes: number;
}

/** Null if there is no such file. */
export function stampOf(file: string): FileStamp | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : { changedAtMs: Math.round(found.mtimeMs), bytes: found.size };
}

export const isSameStamp = (one: FileStamp | null, other: FileStamp | null): boolean =>
  one !== null && other !== null && one.changedAtMs === other.changedAtMs && one.bytes === other.bytes;
