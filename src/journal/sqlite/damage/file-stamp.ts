import { statSync } from "node:fs";

/** By what another program's write to a file is noticed without reading it. A byte that the disk itself changed does not show. */
export interface FileStamp {
  /** Whole milliseconds: a copy that keeps the time of a file keeps no more than that everywhere. */
  readonly changedAtMs: number;
  readonly bytes: number;
}

/** Null where there is no such file. */
export function stampOf(file: string): FileStamp | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : { changedAtMs: Math.round(found.mtimeMs), bytes: found.size };
}

export const isSameStamp = (one: FileStamp | null, other: FileStamp | null): boolean =>
  one !== null && other !== null && one.changedAtMs === other.changedAtMs && one.bytes === other.bytes;
