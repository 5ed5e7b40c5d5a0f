import { existsSync, readFileSync } from "node:fs";
import { readLog } from "./sqlite-log.ts";

/**
 * Whether a database has lost the end of its log since its process was killed. SQLite reads what is left and takes it for
 * the whole log; but the index it shares between processes, `-shm`, survives a kill and has the log's length. Null if
 * nothing is known to be missing.
 */
export function lostInLog(databaseFile: string): string | null {
  const index = readIndex(`${databaseFile}-shm`);
  if (index === null || index.frames === 0 || index.folded >= index.frames) return null;
  if (!existsSync(`${databaseFile}-wal`)) return `the log is missing; it had ${index.frames} pages`;
  const log = readLog(`${databaseFile}-wal`);
  if (log === null) return `the log cannot be read; it had ${index.frames} pages`;
  // The log was restarted since: then this index belongs to an earlier round and says nothing.
  if (log.salts[0] !== index.salts[0] || log.salts[1] !== index.salts[1]) return null;
  return log.frames >= index.frames ? null : `of ${index.frames} pages of the log ${log.frames} can be read`;
}

const version = 3_007_000;
const headBytes = 100;

/** The header of SQLite's index of its log, in the machine's byte order; the salts as in the log. */
function readIndex(file: string) {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null;
  }
  if (bytes.length < headBytes || bytes.readUInt32LE(0) !== version || bytes[12] !== 1) return null;
  const salts = [bytes.readUInt32BE(32), bytes.readUInt32BE(36)] as const;
  return { frames: bytes.readUInt32LE(16), folded: bytes.readUInt32LE(96), salts };
}
