import { closeSync, openSync } from "node:fs";
import { errorCode } from "../../kit/narrow.ts";

/** Names the file that cannot be read. Without it, an error of reading would be taken for one of the folder written to. */
export class FileUnreadable extends Error {
  override readonly name = "FileUnreadable";
  readonly next: string;
  constructor(file: string, cause: unknown) {
    const isForbidden = ["EACCES", "EPERM"].some((code) => errorCode(cause) === code);
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(isForbidden ? `this user may not read ${file}` : `${file} cannot be read: ${reason}`, { cause });
    this.next = isForbidden
      ? "let this user read it, or run the command as a user who may"
      : "copy it again from an intact source, or use another backup";
  }
}

export function refuseUnreadable(file: string): void {
  try {
    closeSync(openSync(file, "r"));
  } catch (error) {
    throw new FileUnreadable(file, error);
  }
}
