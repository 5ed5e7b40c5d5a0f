import { rmSync } from "node:fs";
import { isDamage, openDatabase } from "../../kit/sqlite.ts";

/**
 * Holds an exclusive transaction on a tiny database beside the journal for as long as the process lives.
 * The operating system gives the lock back when the process dies, however it dies: no stale lock file.
 */
export function holdInstanceLock(lockFile: string): () => void {
  try {
    return lockedFile(lockFile);
  } catch (error) {
    if (!isDamage(error)) throw error;
    // It holds nothing. Should somebody have it locked all the same, the database itself is locked, too.
    rmSync(lockFile, { force: true });
    return lockedFile(lockFile);
  }
}

function lockedFile(lockFile: string): () => void {
  const lock = openDatabase(lockFile, { isPrivate: true });
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE;");
  } catch (error) {
    lock.close();
    if (isDamage(error)) throw error;
    throw new Error(
      `Another Crossdock is already using this data folder (${lockFile} is locked). Stop it first, or give this one its own folder with CROSSDOCK_DATA_DIR.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
