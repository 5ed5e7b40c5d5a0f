import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";

/** A file that people write is not in UTF-8. Read all the same, its letters would silently become other ones. */
export class NotUtf8 extends Error {
  readonly line: number;
  /** What the command line says after the message. */
  readonly next = "save it as UTF-8";

  constructor(file: string, line: number) {
    super(`${file} is not in UTF-8 (line ${line})`);
    this.name = "NotUtf8";
    this.line = line;
  }
}

/** Reads a text that people write with an editor. Throws NotUtf8 if it is in another encoding. */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new NotUtf8(file, wrongLine(bytes));
  return bytes.toString("utf8");
}

/** A line break is one byte, which is a part of no letter. */
function wrongLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}
