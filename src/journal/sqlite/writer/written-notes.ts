import { closeSync, constants, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { Mark } from "./writer-command.ts";

/**
 * The file holds a few thousand notes, one per answer that was just written: the number of the entry and the time. They
 * are given to the operating system at once and never synced to the disk. So they survive the kill of the process,
 * unlike the marks of its last milliseconds, and cost next to nothing.
 */
const noteBytes = 32;
/** The length of a note of an older version, which had no check. */
const uncheckedBytes = 24;
/** More notes than are written before their marks reach the disk; then the slots are reused. */
const places = 4096;
/** A process that is killed in a burst of answers loses at most this many notes. */
const burst = 4;

export interface WrittenNotes {
  /** Null withdraws the note. */
  readonly note: (seq: number, at: number | null) => void;
  readonly close: () => void;
}

const fileOf = (databaseFile: string) => `${databaseFile}.answers`;

/** Opens the file after the writer has read the notes of an earlier process. Without the file, nothing is noted. */
export function openWrittenNotes(databaseFile: string): WrittenNotes {
  let file: number | null = null;
  try {
    file = openSync(fileOf(databaseFile), "r+");
  } catch {
    // Then nothing is noted; the marks themselves are still stored.
  }
  const bytes = Buffer.alloc(places * noteBytes);
  // Continues after notes that are still there because the disk was full when they should have been stored.
  let noted = notesIn(databaseFile).at(-1)?.nth ?? 0;
  let written = noted;

  const write = (from: number, to: number) => {
    try {
      if (file !== null) writeSync(file, bytes, from * noteBytes, (to - from) * noteBytes, from * noteBytes);
    } catch {
      // A lost note matters only if the process is killed right now, so it is no reason to fail an answer.
    }
  };
  const flush = () => {
    if (written === noted) return;
    const from = written % places;
    const to = ((noted - 1) % places) + 1;
    written = noted;
    if (from < to) write(from, to);
    else {
      write(from, places);
      write(0, to);
    }
  };

  return {
    note: (seq, at) => {
      // Several answers are written in one turn: their notes are written together, at the latest after the last one.
      if (written === noted) process.nextTick(flush);
      const place = (noted % places) * noteBytes;
      noted++;
      bytes.writeDoubleLE(noted, place);
      bytes.writeDoubleLE(seq, place + 8);
      bytes.writeDoubleLE(at ?? 0, place + 16);
      bytes.writeDoubleLE(checkOf(noted, seq, at ?? 0), place + 24);
      if (noted - written >= burst) flush();
    },
    close: () => {
      flush();
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/** Differs if a byte of one of the three numbers was changed. */
const checkOf = (nth: number, seq: number, at: number): number => nth + 3 * seq + 7 * at;

/** The notes of an earlier process: the last one on each entry, unless it was withdrawn. */
export function inheritedMarks(databaseFile: string): Mark[] {
  const last = new Map(notesIn(databaseFile).map(({ seq, at }) => [seq, at]));
  return [...last].filter(([, at]) => at > 0);
}

/**
 * The highest number of an entry that an earlier process answered; 0 if there are no notes. Notes without a check do not
 * count: one changed byte would have the start refused because of an entry that never was.
 */
export const lastAnswered = (databaseFile: string): number =>
  notesIn(databaseFile).reduce((highest, { seq, isChecked }) => (isChecked ? Math.max(highest, seq) : highest), 0);

/** Returns what is wrong with the notes of an earlier process, which are numbered without a gap; null if nothing is. */
export function damagedNotes(databaseFile: string): string | null {
  const notes = notesIn(databaseFile);
  const { length } = bytesOf(databaseFile);
  const written = Math.min(places, notes.at(-1)?.nth ?? 0);
  const isWhole = length === places * noteBytes || length === places * uncheckedBytes;
  if (isWhole && notes.length >= written) return null;
  const file = basename(fileOf(databaseFile));
  const how = length === 0 ? "missing" : "damaged";
  return `${file} is ${how}: a placement equal to one answered just before the last stop may be treated as a retry`;
}

/** Clears the notes. Call this when the marks are stored. A failure here must not prevent the start. */
export function beginNotes(databaseFile: string): void {
  try {
    const file = openSync(fileOf(databaseFile), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      // Written in full size, so that later notes have their space even on a full disk.
      writeSync(file, Buffer.alloc(places * noteBytes), 0, places * noteBytes, 0);
      // Synced once: after a power cut the notes of an earlier process must not reappear.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // The disk is full or read-only: the journal reports it at its next write.
  }
}

interface Note {
  readonly nth: number;
  readonly seq: number;
  readonly at: number;
  readonly isChecked: boolean;
}

function notesIn(databaseFile: string): Note[] {
  const bytes = bytesOf(databaseFile);
  const notes: Note[] = [];
  const isChecked = bytes.length !== places * uncheckedBytes;
  const length = isChecked ? noteBytes : uncheckedBytes;
  for (let place = 0; place + length <= bytes.length; place += length) {
    const nth = bytes.readDoubleLE(place);
    const seq = bytes.readDoubleLE(place + 8);
    const at = bytes.readDoubleLE(place + 16);
    if (![nth, seq, at].every(Number.isSafeInteger) || nth <= 0) continue;
    if (!isChecked || bytes.readDoubleLE(place + 24) === checkOf(nth, seq, at)) notes.push({ nth, seq, at, isChecked });
  }
  return notes.sort((one, other) => one.nth - other.nth);
}

function bytesOf(databaseFile: string): Buffer {
  try {
    return readFileSync(fileOf(databaseFile)).subarray(0, places * noteBytes);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Limit between an event and its answer. Notes copied from another folder do not match the entries of this one. */
const longestMs = 24 * 3600 * 1000;

interface AnswerMarks {
  /** Consecutive entries answered at the same moment are one update. */
  readonly store: (marks: readonly Mark[]) => void;
  /** Stores the notes of an earlier process, only where no mark is stored. */
  readonly inherit: (marks: readonly Mark[]) => void;
}

/** Stores which entries were answered and when. */
export function answerMarks(database: Database): AnswerMarks {
  const answered = database.statement("UPDATE entry SET answered_at = ? WHERE seq BETWEEN ? AND ?");
  const unanswered = database.statement("UPDATE entry SET answered_at = NULL WHERE answered_at = ? AND seq = ?");
  const inherited = database.statement(
    "UPDATE entry SET answered_at = ? WHERE seq = ? AND answered_at IS NULL AND received_at BETWEEN ? AND ?",
  );
  const store = (marks: readonly Mark[]) => {
    let index = 0;
    for (let mark = marks[index]; mark !== undefined; mark = marks[index]) {
      const [first, at, isBack] = mark;
      index++;
      if (isBack) unanswered.run(at, first);
      else {
        let last = first;
        for (; isNext(marks[index], last, at); index++) last++;
        answered.run(at, first, last);
      }
    }
  };
  return {
    store,
    inherit: (marks) => {
      for (const [seq, at] of marks) inherited.run(at, seq, at - longestMs, at);
    },
  };
}

const isNext = (mark: Mark | undefined, last: number, at: number): boolean =>
  mark !== undefined && mark[0] === last + 1 && mark[1] === at && mark[2] !== true;
