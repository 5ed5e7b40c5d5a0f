import { existsSync } from "node:fs";
import { basename } from "node:path";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { LogFile } from "../../../kit/sqlite/sqlite-log.ts";
import { seqRow } from "../tables/journal-rows.ts";
import { type FoundMark, markFileOf } from "./journal-mark.ts";
import type { FoundWitness } from "./witness.ts";

export interface Compared {
  readonly found: FoundWitness;
  readonly marked: FoundMark;
  /** The number of the last acknowledged entry, as far as anything outside the database tells. */
  readonly leastSeq: number;
  /** Whether no later one was acknowledged; see `Inspection`. */
  readonly isLast: boolean;
}

/** Whether the journal's files are those of another data folder, though this one had entries of its own. */
export const isOfAnotherFolder = ({ witness }: FoundWitness, { mark }: FoundMark): boolean =>
  witness !== null &&
  mark !== null &&
  mark.lastSeq > 0 &&
  witness.journalId !== 0 &&
  witness.journalId !== mark.journalId;

/** What is missing if the journal's files agree with each other, but not with what is recorded elsewhere. */
export function replacedFiles(databaseFile: string, { found, marked, leastSeq, isLast }: Compared): string[] {
  const name = basename(databaseFile);
  const { witness, state, changes } = found;
  const { mark } = marked;
  if (mark !== null && isOfAnotherFolder(found, marked)) {
    return [
      `${name} and the files beside it are those of another data folder; this one held entries up to at least number ${mark.lastSeq}`,
    ];
  }
  if (leastSeq > (witness?.lastSeq ?? 0)) {
    // After a power cut the witness may be older than the rest. Then the entries are there.
    const readable = readableSeq(databaseFile);
    if (readable !== null && readable < leastSeq) return [olderText(name, readable, { leastSeq, isLast })];
  }
  // A journal without entries has lost nothing.
  const isKnown = mark !== null && mark.lastSeq > 0 && state === "whole" && witness?.journalId === mark.journalId;
  if (!isKnown || changes >= mark.changes) return [];
  return [
    `${name} and the files beside it are older ones; what became of some entries (deliveries, decisions) is missing`,
  ];
}

/** A mark is created at the first start of a version that knows it, so a missing one is reported only afterwards. */
export function markNotices(databaseFile: string, { found, marked }: Pick<Compared, "found" | "marked">): string[] {
  if (marked.state === "whole" || (marked.state === "missing" && (found.witness?.journalId ?? 0) === 0)) return [];
  const file = basename(markFileOf(databaseFile));
  return [`${file} is ${marked.state}: whether the journal is an older one could not be checked by it; begun anew`];
}

/** SQLite would take the log of a database that is missing or empty for a useless one, and delete it. */
export function missingDatabase(
  databaseFile: string,
  { leastSeq, isLast, hasLog, log }: Known & { hasLog: boolean; log: LogFile | null },
): string[] {
  if (leastSeq === 0 && !hasLog) return [];
  const held = leastSeq === 0 ? "" : `; it held entries up to ${isLast ? "" : "at least "}number ${leastSeq}`;
  const found = log === null ? "cannot be read" : `has ${log.pages.size} of its ${log.databasePages} pages`;
  const name = basename(databaseFile);
  return [
    `${name} is ${existsSync(databaseFile) ? "empty" : "missing"}${held}${hasLog ? `; ${name}-wal ${found}` : ""}`,
  ];
}

type Known = Pick<Compared, "leastSeq" | "isLast">;

export const olderText = (name: string, lastSeq: number, known: Known): string =>
  `${name} is an older one, or its log is missing: it ends with entry ${lastSeq}; ${missingText(lastSeq + 1, known)}`;

/**
 * Says which entries are missing from the log, by the last entry that SQLite would read without noticing the damage.
 */
export function lossText(databaseFile: string, known: Known): string {
  const { leastSeq, isLast } = known;
  const readable = readableSeq(databaseFile);
  if (readable === null)
    return `acknowledged entries up to ${isLast ? "" : "at least "}number ${leastSeq} may be missing`;
  if (readable < leastSeq) return missingText(readable + 1, known);
  const later = isLast ? "" : `, and perhaps entries after number ${readable}`;
  return `what became of some entries (deliveries, decisions) is missing${later}`;
}

function missingText(from: number, { leastSeq: to, isLast }: Known): string {
  if (!isLast) return `the acknowledged entries ${from} to at least ${to} are missing`;
  return from === to
    ? `the acknowledged entry ${to} is missing`
    : `the acknowledged entries ${from} to ${to} are missing`;
}

/** The last entry that SQLite would read; null if it can read nothing. Nothing is moved from the log into the database. */
function readableSeq(databaseFile: string): number | null {
  try {
    const database = openDatabase(databaseFile, { readOnly: true });
    try {
      return database.query("SELECT seq FROM last_entry", seqRow).get()?.seq ?? null;
    } finally {
      database.close();
    }
  } catch {
    // The database cannot be read without its log.
    return null;
  }
}
