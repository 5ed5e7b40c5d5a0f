import { openDatabase } from "../../kit/sqlite.ts";

/**
 * A batch whose sync failed is refused, but all of it is in the log: for this process it does not count, and the next
 * batch is written over it. Were the process killed before that, the next one would read the log, find the batch whole
 * and deliver what was refused. So something is written over it at once, without a sync, since the disk has just failed at
 * one; the next batch that is stored syncs it as well.
 */
export function overwriteFailed(databaseFile: string): void {
  try {
    const database = openDatabase(databaseFile);
    try {
      // Without folding the log, which must never be done without syncs.
      database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;");
      try {
        // One number is left out: a row that is given the value it has is not written.
        database.exec("UPDATE last_entry SET seq = seq + 1");
      } finally {
        // Whoever closes the last handle folds the log: with syncs, or a power cut would take what was stored long before.
        database.exec("PRAGMA synchronous = FULL;");
      }
    } finally {
      database.close();
    }
  } catch {
    // A disk that takes nothing any more: the next batch tries again, with all that belongs to it.
  }
}
