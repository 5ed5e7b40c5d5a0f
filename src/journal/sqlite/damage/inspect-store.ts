import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "../../../kit/narrow.ts";
import { type LogFile, readLog } from "../../../kit/sqlite/sqlite-log.ts";
import { lastAnswered } from "../writer/written-notes.ts";
import { isOfAnotherFolder, lossText, markNotices, missingDatabase, replacedFiles } from "./compare-mark.ts";
import { type JournalMark, readMark } from "./journal-mark.ts";
import type { UncheckedPages } from "./page-check.ts";
import { readSums, sumIn, sumOf } from "./page-sums.ts";
import { type FoundWitness, isSameStamp, readWitness, stampOf, type Witness } from "./witness.ts";

export interface Inspection {
  /** Reasons not to start: acknowledged data is missing or changed. */
  readonly damages: readonly string[];
  /** Notices that do not prevent the start. */
  readonly notices: readonly string[];
  readonly witness: Witness | null;
  /** How often the witness was written. */
  readonly changes: number;
  /** Null if there is none, and for a copy. */
  readonly mark: JournalMark | null;
  /** Whether the files are those of another data folder. */
  readonly isOfAnother: boolean;
  /** The number of the last acknowledged entry, as far as anything outside the database tells. */
  readonly leastSeq: number;
  /**
   * Whether no later one was acknowledged, which only the witness knows: the mark may be some milliseconds old, and the
   * last answers before a kill may not be noted.
   */
  readonly isLast: boolean;
  readonly log: LogFile | null;
  /** Pages of the database file that were changed since they were written, at most `mostListed`. */
  readonly badPages: readonly number[];
  /** Whether the sums cover every page of the file. */
  readonly areSumsWhole: boolean;
  /** Pages still to be compared; null if all were. */
  readonly unchecked: UncheckedPages | null;
}

export interface InspectOptions {
  /**
   * How much is compared of a database that was not written since the last check: its first and last pages. Absent: all
   * of it. A database that may have been written is always compared completely.
   */
  readonly mostBytes?: number;
  /** Whether PostgreSQL has all of it: a copy may be replaced or deleted, so no mark is kept for it. */
  readonly isCopy?: boolean;
}

const pagesPerRead = 256;
const mostListed = 100;
/** The log cannot restart more often than this while the witness is not synced. */
const mostRounds = 100;

/**
 * Compares database, log, witness and sums by their bytes. SQLite itself would read a damaged log up to the damage and
 * take that for the whole log. Nothing is written; the caller must have the folder for itself.
 */
export function inspectStore(databaseFile: string, { mostBytes, isCopy = false }: InspectOptions = {}): Inspection {
  const found = readWitness(databaseFile);
  const marked = isCopy ? ({ mark: null, state: "missing" } as const) : readMark(databaseFile);
  const { witness, changes } = found;
  const { mark } = marked;
  const hasDatabase = sizeOf(databaseFile) > 0;
  // A copy may be deleted, and SQLite then deletes the log that is left of it.
  const hasLog = (hasDatabase || !isCopy) && sizeOf(`${databaseFile}-wal`) > 0;
  const log = hasLog ? readLog(`${databaseFile}-wal`) : null;
  const isUntouched = isSameStamp(witness?.stamp ?? null, stampOf(databaseFile));
  const part = isUntouched && mostBytes !== undefined ? inspectPages(databaseFile, log, mostBytes) : null;
  // Missing sums are created again, from pages that were all checked.
  const all = part !== null && part.unknown === 0 ? part : inspectPages(databaseFile, log);
  const pages = hasLog && !hasDatabase ? null : all;
  // Somebody may have removed the log and the witness, or replaced them by older ones. Then the mark and the notes on
  // answers tell what was there.
  const leastSeq = Math.max(witness?.lastSeq ?? 0, mark?.lastSeq ?? 0, lastAnswered(databaseFile));
  const isOfAnother = isOfAnotherFolder(found, marked);
  const isLast = found.state === "whole" && found.witness.lastSeq >= leastSeq && !isOfAnother;
  const known = { witness, changes, mark, isOfAnother, leastSeq, isLast, log };
  if (pages === null && leastSeq === 0 && witness === null && !hasLog) {
    return { ...known, damages: [], notices: [], badPages: [], areSumsWhole: false, unchecked: null };
  }
  const name = basename(databaseFile);
  const own = [
    ...(pages === null
      ? missingDatabase(databaseFile, { leastSeq, isLast, hasLog, log })
      : pageDamages(name, pages, witness?.badPages ?? 0)),
    ...(witness === null || pages === null ? [] : logDamages(databaseFile, { witness, log, leastSeq, isLast })),
  ];
  const compared = { found, marked, leastSeq, isLast };
  const damages = own.length > 0 ? own : replacedFiles(databaseFile, compared);
  const notices = [
    ...witnessNotices(name, found),
    ...(isCopy ? [] : markNotices(databaseFile, compared)),
    ...(pages === null ? [] : sumNotices(name, pages)),
  ];
  const { bad: badPages = [], unknown = null, unchecked = null } = pages ?? {};
  return { ...known, damages, notices, badPages, areSumsWhole: unknown === 0, unchecked };
}

interface InspectedPages {
  readonly bad: readonly number[];
  readonly badCount: number;
  /** Pages that have a sum but are missing in the file. */
  readonly missingCount: number;
  /** Pages without a sum that can be trusted. */
  readonly unknown: number;
  readonly hasSums: boolean;
  readonly unchecked: UncheckedPages | null;
}

/** Compares the pages of the database with their sums; null if there is no database. */
function inspectPages(databaseFile: string, log: LogFile | null, mostBytes?: number): InspectedPages | null {
  let handle: number;
  try {
    handle = openSync(databaseFile, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
  try {
    return comparePages(handle, readSums(databaseFile), log, mostBytes);
  } finally {
    closeSync(handle);
  }
}

function comparePages(handle: number, sums: Buffer, log: LogFile | null, mostBytes?: number): InspectedPages {
  const pageBytes = pageBytesOf(handle, log);
  const inFile = Math.ceil(fstatSync(handle).size / pageBytes);
  const unchecked = mostBytes === undefined ? null : middleOf(inFile, { pageBytes, mostBytes });
  const isLeft = (page: number) =>
    unchecked !== null && page >= unchecked.from && page <= unchecked.to && sumIn(sums, page) !== null;
  // Pages that are in the log are read from the log, which has checksums of its own.
  const isInLog = (page: number) => log?.pages.has(page) === true;
  const bad: number[] = [];
  let badCount = 0;
  let unknown = 0;
  const buffer = Buffer.alloc(pageBytes * pagesPerRead);
  for (let first = 1; first <= inFile; first += pagesPerRead) {
    if (isEach(first, Math.min(first + pagesPerRead - 1, inFile), isLeft)) continue;
    const read = readSync(handle, buffer, 0, buffer.length, (first - 1) * pageBytes);
    for (let page = first; page < first + pagesPerRead && page <= inFile; page++) {
      if (isInLog(page) || isLeft(page)) continue;
      const at = (page - first) * pageBytes;
      const bytes = buffer.subarray(at, Math.min(at + pageBytes, read));
      const sum = sumIn(sums, page);
      // A page that SQLite has never written has no sum. An example is the page at the first gigabyte, which SQLite
      // skips.
      if (sum === null && bytes.some((byte) => byte !== 0)) unknown++;
      if (sum === null || sumOf(bytes) === sum) continue;
      badCount++;
      if (bad.length < mostListed) bad.push(page);
    }
  }
  let missingCount = 0;
  for (let page = inFile + 1; page <= sums.length / 8; page++) {
    if (sumIn(sums, page) !== null && !isInLog(page)) missingCount++;
  }
  return { bad, badCount, missingCount, unknown, hasSums: sums.length > 0, unchecked };
}

/**
 * Returns the pages that are checked later. The most used pages are at the beginning (the schema) and at the end (the
 * latest entries), so these are checked first.
 */
function middleOf(
  inFile: number,
  { pageBytes, mostBytes }: { pageBytes: number; mostBytes: number },
): UncheckedPages | null {
  const most = Math.floor(mostBytes / pageBytes);
  if (inFile <= most) return null;
  const atBeginning = Math.floor(most / 8);
  return { from: 1 + atBeginning, to: inFile - (most - atBeginning), pageBytes };
}

function isEach(from: number, to: number, holds: (page: number) => boolean): boolean {
  for (let page = from; page <= to; page++) if (!holds(page)) return false;
  return true;
}

/**
 * Reads the page size from the header of the database. A damaged header gives a wrong size, and then every page is bad.
 */
function pageBytesOf(handle: number, log: LogFile | null): number {
  if (log !== null) return log.pageBytes;
  const bytes = Buffer.alloc(2);
  readSync(handle, bytes, 0, 2, 16);
  const pageSize = bytes.readUInt16BE(0);
  return pageSize >= 512 && (pageSize & (pageSize - 1)) === 0 ? pageSize : 4096;
}

/**
 * The damages of pages, including those found at run time: such a page may have been rewritten since, from its damaged
 * content.
 */
function pageDamages(name: string, { badCount, missingCount }: InspectedPages, foundBefore: number): string[] {
  const bad = Math.max(badCount, foundBefore);
  return [
    ...(bad === 0 ? [] : [badPagesText(name, bad)]),
    ...(missingCount === 0 ? [] : [`${name}: cut off, ${pagesText(missingCount)} missing at its end`]),
  ];
}

const pagesText = (count: number) => (count === 1 ? "1 page" : `${count} pages`);

export const badPagesText = (name: string, count: number) => `${name}: ${pagesText(count)} not as written`;

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function logDamages(
  databaseFile: string,
  { witness, log, ...known }: { witness: Witness } & Pick<Inspection, "log" | "leastSeq" | "isLast">,
): string[] {
  const name = `${basename(databaseFile)}-wal`;
  const { frames, isFolded, salts } = witness;
  if (frames === 0) return [];
  const isSame = log !== null && log.salts[0] === salts[0] && log.salts[1] === salts[1];
  // The log was restarted since then, which happens only after a complete fold. After a power cut the witness may be a
  // second old. If the log restarted more than once and the fold is not recorded, the number of the last readable entry
  // is compared with the witness.
  const rounds = log === null ? 0 : (log.salts[0] - salts[0]) >>> 0;
  if (rounds > 0 && rounds <= mostRounds) return [];
  if (isFolded && (log === null || log.frames === 0)) return [];
  if (isSame && log.frames >= frames) return [];
  const readable = isSame ? log.frames : 0;
  const how =
    log === null
      ? "missing, or its head is damaged"
      : isSame
        ? `damaged or cut off: ${readable} of ${frames} pages can be read`
        : "another one";
  const loss = isFolded ? "nothing is lost, but it must not be read" : lossText(databaseFile, known);
  return [`${name} is ${how}; ${loss}`];
}

function witnessNotices(name: string, { state }: FoundWitness): string[] {
  const file = `${name}.witness`;
  if (state === "missing") return [`${file} is missing: whether the log is complete could not be checked; begun anew`];
  if (state === "damaged") return [`${file} is damaged: whether the log is complete could not be checked; begun anew`];
  return state === "half" ? [`${file}: one of its two records is damaged; the other was used`] : [];
}

function sumNotices(name: string, { unknown, hasSums }: InspectedPages): string[] {
  if (unknown === 0) return [];
  if (!hasSums) return [`${name}.sums is missing: the database was checked by its structure only; begun anew`];
  return [`${name}.sums: the sums of ${unknown} pages are damaged or missing; made anew`];
}
