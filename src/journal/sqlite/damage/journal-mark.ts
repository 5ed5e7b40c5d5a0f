import { closeSync, constants, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { errorCode } from "../../../kit/narrow.ts";

/**
 * How far the journal had come, recorded outside its own files (`crossdock.db*`). The witness is one of these files: if
 * somebody replaces all of them by an older set, or deletes them, they agree with each other.
 */
export interface JournalMark {
  /** The witness has the same number. */
  readonly journalId: number;
  /** The number of the last entry. It may be some milliseconds old, and is never ahead of the database. */
  readonly lastSeq: number;
  /** How often the witness was written when it was last synced. So it is never ahead of a witness after a power cut. */
  readonly changes: number;
}

export type FoundMark =
  | { readonly mark: JournalMark; readonly state: "whole" }
  | { readonly mark: null; readonly state: "missing" | "damaged" };

export interface MarkFile {
  /** Writes it soon, and never twice within some milliseconds. The commits of the floor do not wait for it. */
  readonly note: (changed: Partial<JournalMark>) => void;
  /** Writes and syncs the last state. */
  readonly close: (last: Partial<JournalMark>) => void;
  /** Closes the file and writes nothing, as a kill does. */
  readonly abandon: () => void;
}

const magic = 0x4d524b31;
const markBytes = 64;
/** A kill loses the marks of this time at most. */
const writeEveryMs = 50;

/** Its name does not begin like those of the journal's files: a pattern that copies or deletes them must not match it. */
export const markFileOf = (databaseFile: string) => join(dirname(databaseFile), "journal-mark");

export function readMark(databaseFile: string): FoundMark {
  let bytes: Buffer;
  try {
    bytes = readFileSync(markFileOf(databaseFile));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { mark: null, state: "missing" };
    throw error;
  }
  const isSound = bytes.length >= markBytes && bytes.readUInt32LE(0) === magic;
  if (!isSound || bytes.readUInt32LE(4) !== crc32(bytes.subarray(8, markBytes)))
    return { mark: null, state: "damaged" };
  const numbers = { lastSeq: bytes.readDoubleLE(16), changes: bytes.readDoubleLE(24) };
  return { mark: { journalId: bytes.readUInt32LE(8), ...numbers }, state: "whole" };
}

export function openMark(databaseFile: string, first: JournalMark): MarkFile {
  const file = openSync(markFileOf(databaseFile), constants.O_RDWR | constants.O_CREAT, 0o600);
  const bytes = Buffer.alloc(markBytes);
  let latest = first;
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    timer = undefined;
    bytes.writeUInt32LE(magic, 0);
    bytes.writeUInt32LE(latest.journalId, 8);
    bytes.writeDoubleLE(latest.lastSeq, 16);
    bytes.writeDoubleLE(latest.changes, 24);
    bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
    try {
      writeSync(file, bytes, 0, markBytes, 0);
    } catch {
      // The journal itself is stored. The mark is behind, and the next write corrects it.
    }
  };
  write();
  fsyncSync(file);
  return {
    note: (changed) => {
      latest = { ...latest, ...changed };
      timer ??= setTimeout(write, writeEveryMs).unref();
    },
    close: (last) => {
      clearTimeout(timer);
      latest = { ...latest, ...last };
      write();
      fsyncSync(file);
      closeSync(file);
    },
    abandon: () => {
      clearTimeout(timer);
      closeSync(file);
    },
  };
}
