import { errorCode } from "../../kit/narrow.ts";
import { primaryCode } from "../../kit/sqlite/sqlite.ts";

/** Says for a person which folder could not be written to. */
class WriteFailure extends Error {
  override readonly name = "WriteFailure";
  readonly next: string;
  constructor(text: string, next: string, cause: unknown) {
    super(text, { cause });
    this.next = next;
  }
}

/** SQLite's codes. */
const readOnly = 8;
const full = 13;

/** The error in words if a folder has no space or may not be written to; else the error itself. */
export function writeFailure(error: unknown, folder: string): unknown {
  const isOne = (codes: readonly string[], ofSqlite: number) =>
    codes.some((code) => errorCode(error) === code) || primaryCode(error) === ofSqlite;
  if (isOne(["ENOSPC", "EDQUOT"], full)) {
    return new WriteFailure(
      `there is not enough space for ${folder}`,
      "free some, or choose a folder on another disk",
      error,
    );
  }
  if (isOne(["EACCES", "EPERM", "EROFS"], readOnly)) {
    return new WriteFailure(
      `this user may not write to ${folder}, or its disk is read-only`,
      "choose another folder, or let this user write there",
      error,
    );
  }
  return error;
}
