import { openDatabase } from "../../kit/sqlite.ts";

/**
 * Holds an exclusive transaction on a tiny database beside the journal for as long as the process lives.
 * The operating system gives the lock back when the process dies, however it dies: no stale lock file.
 */
export function holdInstanceLock(lockFile: string): () => void {
  const lock = openDatabase(lockFile, { isPrivate: true });
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE;");
  } catch (error) {
    lock.close();
    throw new Error(
      `Another Crossdock is already using this data folder (${lockFile} is locked). Stop it first, or give this one its own folder with CROSSDOCK_DATA_DIR.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
