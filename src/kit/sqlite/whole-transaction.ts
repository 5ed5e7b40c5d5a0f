import type { Database } from "./sqlite.ts";

/**
 * Runs work in a transaction: all of it is stored, or nothing. Throws the error of the work. SQLite rolls back by itself
 * when the disk is full, and another ROLLBACK would fail then and hide that error.
 */
export function wholeTransaction(database: Database, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    if (database.isOpen() && database.isInTransaction()) database.exec("ROLLBACK");
    throw error;
  }
}
