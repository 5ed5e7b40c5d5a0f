import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { PageSource } from "./walk-tree.ts";

/** A database file that SQLite cannot open, read page by page. */
export interface PageFile extends PageSource {
  readonly userVersion: number;
  readonly applicationId: number;
  readonly isClaimed: (page: number) => boolean;
  /** Claims the pages that are in use by no table. Returns false if not all of them are known. */
  readonly claimFree: () => boolean;
  readonly close: () => void;
}

const magic = "SQLite format 3\0";
const headBytes = 100;

/** Null if the first page cannot be read: it says how long a page is, and where the list of the tables begins. */
export function openPageFile(file: string, badPages: ReadonlySet<number>): PageFile | null {
  const handle = openSync(file, "r");
  const head = Buffer.alloc(headBytes);
  const isHead = readSync(handle, head, 0, headBytes, 0) === headBytes && head.toString("latin1", 0, 16) === magic;
  const given = head.readUInt16BE(16);
  const pageBytes = given === 1 ? 65_536 : given;
  if (!isHead || pageBytes < 512 || badPages.has(1)) {
    closeSync(handle);
    return null;
  }
  // The head says how many there were; that number may be damaged, and would be the length of the list below.
  const pages = Math.floor(fstatSync(handle).size / pageBytes);
  const claimed = new Uint8Array(pages + 1);
  const buffer = Buffer.alloc(pageBytes);

  const read = (page: number): Buffer | null => {
    if (page < 1 || page > pages || badPages.has(page)) return null;
    try {
      return readSync(handle, buffer, 0, pageBytes, (page - 1) * pageBytes) === pageBytes ? buffer : null;
    } catch {
      // The disk itself cannot read it.
      return null;
    }
  };
  const claim = (page: number): boolean => {
    if (page < 1 || page > pages || claimed[page] === 1) return false;
    claimed[page] = 1;
    return true;
  };

  return {
    pages,
    usableBytes: pageBytes - (head[20] ?? 0),
    userVersion: head.readInt32BE(60),
    applicationId: head.readInt32BE(68),
    read,
    claim,
    isClaimed: (page) => claimed[page] === 1,
    claimFree: () => {
      for (let trunk = head.readUInt32BE(32); trunk !== 0; ) {
        const bytes = claim(trunk) ? read(trunk) : null;
        const count = bytes?.readUInt32BE(4) ?? 0;
        if (bytes === null || 8 + 4 * count > pageBytes) return false;
        for (let nth = 0; nth < count; nth++) claim(bytes.readUInt32BE(8 + 4 * nth));
        trunk = bytes.readUInt32BE(0);
      }
      return true;
    },
    close: () => closeSync(handle),
  };
}
