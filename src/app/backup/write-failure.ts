import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../kit/narrow.ts";
import { primaryCode } from "../../kit/sqlite/sqlite.ts";

/** Says for a person why a folder could not be written to. */
export class FolderUnwritable extends Error {
  override readonly name = "FolderUnwritable";
  readonly next: string;
  constructor(text: string, next: string, cause: unknown) {
    super(text, { cause });
    this.next = next;
  }
}

/** SQLite's codes. */
const readOnly = 8;
const inputOutput = 10;
const full = 13;
/** More than SQLite takes at once for the index of a log. */
const nearlyFullBytes = 2 ** 18;

/** The error in words if a folder has no space or may not be written to; else the error itself. */
export function writeFailure(error: unknown, folder: string): unknown {
  // It already says what to do, and may be about another folder or about PostgreSQL.
  if (error instanceof Error && "next" in error) return error;
  // The error of the lock file has the one of SQLite as its cause. Only SQLite's: the cause of another error may be a
  // system error about what was read.
  const ofSqlite = [primaryCode(error), error instanceof Error ? primaryCode(error.cause) : 0];
  const isOne = (codes: readonly string[], numberOfSqlite: number) =>
    codes.some((code) => errorCode(error) === code) || ofSqlite.includes(numberOfSqlite);
  // Where the index of its log has no room, SQLite calls that an I/O error, as if the disk were broken.
  const isFull = isOne(["ENOSPC", "EDQUOT"], full) || (isOne([], inputOutput) && isNearlyFull(folder));
  if (isFull) {
    return new FolderUnwritable(
      `there is not enough space for ${folder}`,
      "free some, or choose a folder on another disk",
      error,
    );
  }
  if (isOne(["EACCES", "EPERM", "EROFS"], readOnly)) {
    return new FolderUnwritable(
      `this user may not write to ${folder}, or its disk is read-only`,
      "choose another folder, or let this user write there",
      error,
    );
  }
  return error;
}

function isNearlyFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : dirname(folder));
    return bavail * bsize < nearlyFullBytes;
  } catch {
    return false;
  }
}
