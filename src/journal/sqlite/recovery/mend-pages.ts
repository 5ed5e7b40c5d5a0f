import { closeSync, existsSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { walkLog } from "../../../kit/sqlite/sqlite-log.ts";
import { readSums, sumIn, sumOf } from "../damage/page-sums.ts";

export interface MendNeeds {
  /** The damaged database, which has the sums beside it. */
  readonly databaseFile: string;
  /** The copy of it that is mended. */
  readonly copy: string;
  /** Pages of the copy that come from the log: they have no sum yet. */
  readonly fromLog: ReadonlySet<number>;
}

/**
 * Compares the pages of a copy with their sums, and puts back the content of damaged ones where it can be proven: it may
 * be in the place of another page, or still in the log, which keeps old frames until they are overwritten. Returns the
 * pages that stay damaged.
 */
export function mendPages({ databaseFile, copy, fromLog }: MendNeeds): Set<number> {
  const sums = readSums(databaseFile);
  const handle = openSync(copy, "r+");
  try {
    const pageBytes = pageBytesOf(handle);
    const bytes = Buffer.alloc(pageBytes);
    const pages = Math.ceil(fstatSync(handle).size / pageBytes);
    const readPage = (page: number) => bytes.subarray(0, readSync(handle, bytes, 0, pageBytes, (page - 1) * pageBytes));
    const bad = new Set<number>();
    for (let page = 1; page <= pages; page++) {
      const sum = sumIn(sums, page);
      if (sum !== null && !fromLog.has(page) && sumOf(readPage(page)) !== sum) bad.add(page);
    }
    if (bad.size === 0) return bad;
    putBackMoved(handle, { bad, sums, readPage });
    putBackFromLog(handle, { bad, sums, pageBytes, logFile: `${databaseFile}-wal` });
    return bad;
  } finally {
    closeSync(handle);
  }
}

interface Mend {
  /** Those that are put back are removed from it. */
  readonly bad: Set<number>;
  readonly sums: Buffer;
}

/** More than this many in wrong places are no swap: their content would have to be kept in memory. */
const mostMoved = 1_000;

function putBackMoved(handle: number, { bad, sums, readPage }: Mend & { readPage: (page: number) => Buffer }): void {
  if (bad.size > mostMoved) return;
  const wanted = new Map([...bad].map((page) => [sumIn(sums, page), page]));
  const moved = [...bad].flatMap((page) => {
    const content = Buffer.from(readPage(page));
    const to = wanted.get(sumOf(content));
    return to === undefined ? [] : [{ to, content }];
  });
  for (const { to, content } of moved) {
    writeSync(handle, content, 0, content.length, (to - 1) * content.length);
    bad.delete(to);
  }
}

function putBackFromLog(
  handle: number,
  { bad, sums, pageBytes, logFile }: Mend & { pageBytes: number; logFile: string },
): void {
  if (bad.size === 0 || !existsSync(logFile)) return;
  walkLog(logFile, {
    headIfDamaged: { pageBytes, salts: [0, 0] },
    onFrame: ({ page, bytes }) => {
      if (bytes.length === pageBytes && bad.has(page) && sumOf(bytes) === sumIn(sums, page)) {
        writeSync(handle, bytes, 0, pageBytes, (page - 1) * pageBytes);
        bad.delete(page);
      }
      return bad.size === 0 ? "stop" : "go on";
    },
  });
}

/** As SQLite says in the first page, or the size that every new database has. */
function pageBytesOf(handle: number): number {
  const head = Buffer.alloc(2);
  readSync(handle, head, 0, 2, 16);
  const bytes = head.readUInt16BE(0);
  return bytes >= 512 && (bytes & (bytes - 1)) === 0 ? bytes : 4096;
}
