import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { Database } from "../../kit/sqlite.ts";

/**
 * A few thousand notes beside the database, one per answer that was just written: the number of the entry and when.
 * They are handed to the operating system at once and never forced to the disk. So they outlive a process that is
 * killed, which the marks of its last milliseconds do not, and cost next to nothing.
 */
const noteBytes = 24;
/** More than are written while their marks are on the way to the disk; then the places are used again. */
const places = 4096;
/** An answer comes soon after its event. Notes of another folder's life do not fit the entries of this one. */
const longestMs = 15 * 60_000;

export interface WrittenNotes {
  /** Null takes back what was noted. */
  readonly note: (seq: number, at: number | null) => void;
  readonly close: () => void;
}

const fileOf = (databaseFile: string) => `${databaseFile}.answers`;

/** After the writer has taken over what an earlier process had noted. Without the file nothing is noted. */
export function openWrittenNotes(databaseFile: string): WrittenNotes {
  let file: number | null = null;
  try {
    file = openSync(fileOf(databaseFile), "r+");
  } catch {
    // On a disk that does not even take this, the journal itself says what is wrong.
  }
  const bytes = Buffer.alloc(places * noteBytes);
  let noted = 0;
  let written = 0;

  const write = (from: number, to: number) => {
    try {
      if (file !== null) writeSync(file, bytes, from * noteBytes, (to - from) * noteBytes, from * noteBytes);
    } catch {
      // A lost note is a lost mark, and only if the process is killed right now: no reason to fail an answer.
    }
  };
  const flush = () => {
    if (written === noted) return;
    const isAll = noted - written >= places;
    const [from, to] = isAll ? [0, places] : [written % places, ((noted - 1) % places) + 1];
    written = noted;
    if (from < to) write(from, to);
    else {
      write(from, places);
      write(0, to);
    }
  };

  return {
    note: (seq, at) => {
      // Several answers end in the same turn, one right after the other: they are noted together, behind the last.
      if (written === noted) process.nextTick(flush);
      const place = (noted % places) * noteBytes;
      noted++;
      bytes.writeDoubleLE(noted, place);
      bytes.writeDoubleLE(seq, place + 8);
      bytes.writeDoubleLE(at ?? 0, place + 16);
    },
    close: () => {
      flush();
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/** Turns what an earlier process had noted, and could not store any more, into marks; and begins anew. */
export function takeOverNotes(database: Database, databaseFile: string): void {
  const file = openSync(fileOf(databaseFile), "a+", 0o600);
  closeSync(file);
  const notes = openSync(fileOf(databaseFile), "r+");
  try {
    const mark = database.statement(
      "UPDATE entry SET answered_at = ? WHERE seq = ? AND answered_at IS NULL AND received_at BETWEEN ? AND ?",
    );
    database.exec("BEGIN IMMEDIATE");
    for (const [seq, at] of notesIn(notes)) mark.run(at, seq, at - longestMs, at);
    database.exec("COMMIT");
    // Written in full: later notes then find their place on a disk that has none left.
    writeSync(notes, Buffer.alloc(places * noteBytes), 0, places * noteBytes, 0);
    // Once: after a power cut the notes of a life before this one must not be there again.
    fsyncSync(notes);
  } finally {
    closeSync(notes);
  }
}

/** The last note on each entry, unless that takes back the one before. */
function notesIn(file: number): ReadonlyMap<number, number> {
  const bytes = Buffer.alloc(Math.min(fstatSync(file).size, places * noteBytes));
  readSync(file, bytes, 0, bytes.length, 0);
  const notes: { nth: number; seq: number; at: number }[] = [];
  for (let place = 0; place + noteBytes <= bytes.length; place += noteBytes) {
    const nth = bytes.readDoubleLE(place);
    const seq = bytes.readDoubleLE(place + 8);
    const at = bytes.readDoubleLE(place + 16);
    if ([nth, seq, at].every(Number.isSafeInteger) && nth > 0) notes.push({ nth, seq, at });
  }
  notes.sort((one, other) => one.nth - other.nth);
  const last = new Map(notes.map(({ seq, at }) => [seq, at]));
  for (const [seq, at] of last) if (at <= 0) last.delete(seq);
  return last;
}
