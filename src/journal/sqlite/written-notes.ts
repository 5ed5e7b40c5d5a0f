import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { Database } from "../../kit/sqlite.ts";

/**
 * A few thousand notes beside the database, one per answer that was just written: the number of the entry and when.
 * They are handed to the operating system one by one and never forced to the disk. So they outlive a process that is
 * killed, which the marks of its last milliseconds do not, and cost an event a hundredth of a commit.
 */
const noteBytes = 16;
/** Two entries that are so far apart share a place; the mark of the earlier one has long been stored. */
const places = 4096;
/** An answer comes soon after its event. Notes of another folder's life do not fit the entries of this one. */
const longestMs = 15 * 60_000;

export interface WrittenNotes {
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
  const bytes = Buffer.alloc(noteBytes);
  return {
    note: (seq, at) => {
      if (file === null) return;
      bytes.writeDoubleLE(seq, 0);
      bytes.writeDoubleLE(at ?? 0, 8);
      try {
        writeSync(file, bytes, 0, noteBytes, (seq % places) * noteBytes);
      } catch {
        // A lost note is a lost mark, and only if the process is killed right now: no reason to fail an answer.
      }
    },
    close: () => {
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
  } finally {
    closeSync(notes);
  }
}

function notesIn(file: number): (readonly [seq: number, at: number])[] {
  const bytes = Buffer.alloc(Math.min(fstatSync(file).size, places * noteBytes));
  readSync(file, bytes, 0, bytes.length, 0);
  const found: (readonly [number, number])[] = [];
  for (let start = 0; start + noteBytes <= bytes.length; start += noteBytes) {
    const [seq, at] = [bytes.readDoubleLE(start), bytes.readDoubleLE(start + 8)];
    if (Number.isSafeInteger(seq) && seq > 0 && Number.isSafeInteger(at) && at > 0) found.push([seq, at]);
  }
  return found;
}
