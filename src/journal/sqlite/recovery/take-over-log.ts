import { closeSync, existsSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { type LogFrame, type LogHead, walkLog } from "../../../kit/sqlite/sqlite-log.ts";
import type { Witness } from "../damage/witness.ts";

export interface TakeOver {
  readonly logFile: string;
  /** The database into which the pages are written. */
  readonly database: string;
  /** What was committed, if it is known. */
  readonly witness: Pick<Witness, "frames" | "salts"> | null;
  /** Nothing after this frame is read; absent: all is. */
  readonly upTo?: number;
}

/**
 * Writes the pages of the log into a database, up to the last commit of which every page is known. Each frame is
 * verified by the checksum in the frame before it, so damage in the middle affects only one page, and nothing if that
 * page was written again later. What follows the last whole commit belongs to one that was not stored. Returns the
 * numbers of these pages, or null if there is no such commit.
 */
export function takeOverLog({
  logFile,
  database,
  witness,
  upTo = Number.MAX_SAFE_INTEGER,
}: TakeOver): ReadonlySet<number> | null {
  if (!existsSync(logFile) || witness?.frames === 0) return null;
  const headIfDamaged = witness === null ? undefined : { pageBytes: 4096, salts: witness.salts };
  const mostPages = (statSync(database).size + statSync(logFile).size) / 512;
  const last = lastWholeCommit(logFile, { headIfDamaged, witness, upTo, mostPages });
  if (last === null) return null;
  const file = openSync(database, "r+");
  const taken = new Set<number>();
  try {
    walkLog(logFile, {
      headIfDamaged,
      onFrame: (found) => {
        if (found.frame > last.frame) return "stop";
        const { page, isSound } = readHead(found, mostPages);
        if (!isSound) return "go on";
        writeSync(file, found.bytes, 0, found.bytes.length, (page - 1) * last.pageBytes);
        taken.add(page);
        return "go on";
      },
    });
    ftruncateSync(file, last.pages * last.pageBytes);
  } finally {
    closeSync(file);
  }
  return taken;
}

interface Commit {
  readonly frame: number;
  /** The number of pages of the database after it. */
  readonly pages: number;
  readonly pageBytes: number;
}

interface CommitNeeds extends Pick<TakeOver, "witness"> {
  readonly headIfDamaged: LogHead | undefined;
  readonly upTo: number;
  readonly mostPages: number;
}

function lastWholeCommit(logFile: string, { headIfDamaged, witness, upTo, mostPages }: CommitNeeds): Commit | null {
  let pageBytes = 0;
  let known = 0;
  let last: Commit | null = null;
  /** Pages whose latest content so far was damaged in the log. */
  const damaged = new Set<number>();
  walkLog(logFile, {
    headIfDamaged,
    onHead: (head) => {
      pageBytes = head.pageBytes;
      const isSame = witness !== null && head.salts[0] === witness.salts[0] && head.salts[1] === witness.salts[1];
      known = isSame ? witness.frames : 0;
    },
    onFrame: (found) => {
      if (found.frame > upTo) return "stop";
      // Left over from an earlier round, unless the witness says that this round came so far: then it is damaged.
      if (!found.isOfThisRound && found.frame > known) return "stop";
      const { page, pagesAfter, isSound } = readHead(found, mostPages);
      // Nobody knows whose content it was, so no page is certain from here on.
      if (page === 0) return "stop";
      if (isSound) damaged.delete(page);
      else damaged.add(page);
      if (pagesAfter === 0 || !isSound) return "go on";
      for (const one of damaged) if (one > pagesAfter) damaged.delete(one);
      if (damaged.size === 0) last = { frame: found.frame, pages: pagesAfter, pageBytes };
      return "go on";
    },
  });
  return last;
}

/** Whose content a frame has. Page 0 if that is not known: a damaged number would leave another page as it was before. */
function readHead(
  { page, pagesAfter, isOfThisRound, isSound, headBySum }: LogFrame,
  mostPages: number,
): { readonly page: number; readonly pagesAfter: number; readonly isSound: boolean } {
  if (isSound) return { page, pagesAfter, isSound };
  const isPossible = (number: number) => number <= mostPages;
  const bySum = headBySum();
  if (bySum.page > 0 && isPossible(bySum.page) && isPossible(bySum.pagesAfter)) return { ...bySum, isSound: true };
  const isCertain = isOfThisRound && isPossible(page) && isPossible(pagesAfter);
  return { page: isCertain ? page : 0, pagesAfter: 0, isSound: false };
}
