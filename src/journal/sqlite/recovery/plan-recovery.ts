import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { inspectStore } from "../damage/inspect-store.ts";
import { markFileOf } from "../damage/journal-mark.ts";
import { sumsFileOf } from "../damage/page-sums.ts";
import { openStoreGuard } from "../damage/store-guard.ts";
import { witnessFileOf } from "../damage/witness.ts";
import { seqRow } from "../tables/journal-rows.ts";
import { beginNotes } from "../writer/written-notes.ts";
import { mendPages } from "./mend-pages.ts";
import { isConsistent, type SalvageLoss, salvageJournal } from "./salvage-journal.ts";
import { takeOverLog } from "./take-over-log.ts";

/** What can be recovered of a damaged store. */
export interface Recovery {
  /** A database that SQLite considers intact, built from what is left. */
  readonly file: string;
  /** How the database was built, in words. */
  readonly by: string;
  readonly lastSeq: number;
  /** The range of acknowledged entries that the database lacks; null if it has all. */
  readonly missing: { readonly from: number; readonly to: number } | null;
  /** Whether later entries may have been acknowledged of which nothing tells any more. */
  readonly mayMissLater: boolean;
  /** Changed pages: their content is readable, but may be wrong. */
  readonly doubtfulPages: number;
  /**
   * Numbers of entries whose text is certainly damaged, at most a hundred; others in those pages may be damaged
   * unnoticed.
   */
  readonly unreadable: readonly number[];
  /** When its last entry was received. */
  readonly lastReceivedAt: number;
  /** What is missing in the middle, if the database was built from the readable pages only; absent or null: nothing. */
  readonly loss?: SalvageLoss | null;
}

export interface RecoveryPlan {
  readonly damages: readonly string[];
  /** Null if nothing that is left can be read as a database. */
  readonly best: Recovery | null;
  /** Why the readable pages were not enough, if that was tried. */
  readonly refused?: string;
}

/**
 * Tries all ways to read a damaged store, each on a copy in the given folder, and chooses the most complete result.
 * Null if nothing is damaged. The store itself is not changed.
 */
export function planRecovery(databaseFile: string, folder: string, now: number): RecoveryPlan | null {
  const inspection = inspectStore(databaseFile);
  const { witness, isOfAnother, isLast } = inspection;
  const leastSeq = isOfAnother ? (inspection.mark?.lastSeq ?? 0) : inspection.leastSeq;
  const logFile = `${databaseFile}-wal`;
  const hasDatabase = (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const hasLog = existsSync(logFile);
  const copies: Copy[] = [];
  const copyAs = (name: string, by: string): string => {
    const file = join(folder, `${name}.db`);
    // Without the database: a log may hold every page of a young journal.
    if (hasDatabase) copyFileSync(databaseFile, file);
    else writeFileSync(file, "", { mode: 0o600 });
    copies.push({ file, by, badPages: none });
    return file;
  };
  const dropLast = () => rmSync(copies.pop()?.file ?? "", { force: true });
  const mendLast = (fromLog: ReadonlySet<number>) => {
    const last = copies.pop();
    if (last === undefined) return;
    copies.push({ ...last, badPages: mendPages({ databaseFile, copy: last.file, fromLog }) });
  };
  if (hasDatabase || hasLog) {
    const whole = copyAs("whole", "every page of the log by its own checksum");
    const taken = takeOverLog({ logFile, database: whole, witness });
    if (taken === null) dropLast();
    else mendLast(taken);
    const upTo = copyAs("up-to", "the log up to the damage");
    // SQLite would delete the log of an empty database.
    const readable = { logFile, database: upTo, witness: inspection.log, upTo: inspection.log?.frames ?? 0 };
    if (!hasDatabase && takeOverLog(readable) === null) dropLast();
    else if (hasDatabase && hasLog) copyFileSync(logFile, `${upTo}-wal`);
  }
  if (hasDatabase) {
    copyAs("without", "the database without its log");
    mendLast(none);
  }
  const known = { leastSeq, isLast, isOfAnother, foundBefore: witness?.badPages ?? 0 };
  // The first that is left has most of the log.
  const [base] = copies.filter(({ badPages }) => badPages !== none);
  const readable = copies.flatMap((copy) => judged(copy, known) ?? []);
  // Of equally complete copies the first is chosen, because it has the strongest proof.
  const intact = readable.reduce<Recovery | null>((a, b) => (a === null || b.lastSeq > a.lastSeq ? b : a), null);
  const damages = inspection.damages.length > 0 || !hasDatabase ? inspection.damages : olderThan(leastSeq, intact);
  if (damages.length === 0) return null;
  const isBaseIntact = base === undefined || readable.some(({ file }) => file === base.file);
  const salvage = isBaseIntact ? null : salvaged(base, { ...known, folder, now });
  const rows = salvage?.best ?? null;
  const best = intact === null || (rows !== null && entriesIn(rows) > intact.lastSeq) ? rows : intact;
  if (rows !== null && rows !== best) rmSync(rows.file, { force: true });
  for (const { file } of copies) if (file !== best?.file) rmSync(file, { force: true });
  return { damages, best, ...(salvage?.refused === undefined ? {} : { refused: salvage.refused }) };
}

interface Copy {
  readonly file: string;
  /** How it was built, in words. */
  readonly by: string;
  /** Pages that were changed since they were written. */
  readonly badPages: ReadonlySet<number>;
}

interface Known {
  readonly leastSeq: number;
  readonly isLast: boolean;
  readonly isOfAnother: boolean;
  /** How many pages were found damaged while the adapter ran. */
  readonly foundBefore: number;
}

const none: ReadonlySet<number> = new Set();

/** Builds a database from the rows that can be read, where none of the copies is one as it is. */
function salvaged(
  base: Copy,
  { folder, now, ...known }: Known & { folder: string; now: number },
): { readonly best: Recovery | null; readonly refused?: string } {
  const target = join(folder, "salvaged.db");
  const result = salvageJournal(base.file, base.badPages, {
    target,
    leastSeq: known.isOfAnother ? 0 : known.leastSeq,
    now,
  });
  if ("refused" in result) return { best: null, refused: result.refused };
  const by = `${base.by}, of the readable pages only, table by table`;
  const best = judged({ file: target, by, badPages: none }, known);
  if (best === null) rmSync(target, { force: true });
  return { best: best === null ? null : { ...best, loss: result.loss } };
}

const entriesIn = ({ lastSeq, loss }: Recovery): number =>
  (loss?.entries ?? []).reduce((count, { from, to }) => count - (to - from + 1), lastSeq);

const olderThan = (leastSeq: number, best: Recovery | null): string[] =>
  best === null
    ? ["crossdock.db cannot be read"]
    : best.lastSeq < leastSeq
      ? [`crossdock.db ends with entry ${best.lastSeq}, and number ${leastSeq} was acknowledged`]
      : [];

function judged({ file, by, badPages }: Copy, { leastSeq, isLast, isOfAnother, foundBefore }: Known): Recovery | null {
  const doubtfulPages = Math.max(badPages.size, foundBefore);
  try {
    const database = openDatabase(file, { isPrivate: true });
    try {
      if (Object.values(database.statement("PRAGMA integrity_check(1)").get() ?? {})[0] !== "ok") return null;
      if (!isConsistent(database)) return null;
      const lastSeq = database.query("SELECT seq FROM last_entry", seqRow).get()?.seq ?? 0;
      const last = database.query(
        "SELECT received_at AS at FROM entry ORDER BY seq DESC LIMIT 1",
        row({ at: integer }),
      );
      const lastReceivedAt = isOfAnother ? 0 : (last.get()?.at ?? 0);
      // Of the entries of this folder none is left.
      const ours = isOfAnother ? 0 : lastSeq;
      const missing = ours >= leastSeq ? null : { from: ours + 1, to: leastSeq };
      const spoiled = database.query("SELECT seq FROM entry_body WHERE NOT json_valid(body) LIMIT 100", seqRow);
      const unreadable = doubtfulPages === 0 ? [] : spoiled.all().map(({ seq }) => seq);
      return { file, by, lastSeq, missing, mayMissLater: !isLast, doubtfulPages, unreadable, lastReceivedAt };
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

/**
 * Replaces the damaged files by the recovered one; the damaged files are kept in the given folder. If it was interrupted
 * at any point, the same call finishes it.
 */
export function takeRecovery(databaseFile: string, recovery: Recovery, keepIn: string): void {
  // Else the recovered file has its place already, and the damaged ones are gone.
  if (existsSync(recovery.file)) {
    const database = openDatabase(recovery.file, { isPrivate: true });
    // An acknowledged number is never used a second time, as far as it is known.
    const given = recovery.missing?.to ?? recovery.lastSeq;
    database.statement("UPDATE last_entry SET seq = max(seq, ?)").run(given);
    database.close();
    for (const part of ["", "-wal", "-shm"]) {
      if (existsSync(databaseFile + part)) renameSync(databaseFile + part, join(keepIn, basename(databaseFile) + part));
    }
    renameSync(recovery.file, databaseFile);
  }
  beginWitness(databaseFile);
}

/** Creates a new mark, a new witness and new sums for a database that was replaced on purpose. */
function beginWitness(databaseFile: string): void {
  const files = [markFileOf(databaseFile), witnessFileOf(databaseFile), sumsFileOf(databaseFile)];
  for (const file of files) rmSync(file, { force: true });
  openStoreGuard(databaseFile).close(() => {});
}

/**
 * Creates everything that is kept beside a database that was built from a backup or from PostgreSQL. Its notes on answers
 * begin empty: if they were absent, the first start would report a loss that is none. A recovery keeps the notes instead,
 * because they belong to its entries.
 */
export function beginCopy(databaseFile: string): void {
  beginWitness(databaseFile);
  beginNotes(databaseFile);
}
