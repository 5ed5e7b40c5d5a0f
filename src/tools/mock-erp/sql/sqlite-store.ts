import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { SqlStore } from "./sql-store.ts";

export function openSqliteStore(file: string): SqlStore {
  const database = openDatabase(file);
  // The adapter reads while the ERP books.
  database.exec("PRAGMA journal_mode = WAL");
  // Waiting stops everything else here, and the next turn comes soon.
  database.exec("PRAGMA busy_timeout = 20");
  return {
    run: async (sql, values = []) => database.statement(sql).run(...values).changes,
    all: async (sql, values = []) => database.statement(sql).all(...values),
    // Begun as a reader it could not become a writer once the adapter has written in between.
    begin: async () => {
      try {
        database.exec("BEGIN IMMEDIATE");
        return true;
      } catch (error) {
        if (error instanceof Error && error.message.includes("locked")) return false;
        throw error;
      }
    },
    close: async () => database.close(),
    types: { counter: "INTEGER PRIMARY KEY AUTOINCREMENT", bytes: "BLOB", name: "TEXT" },
  };
}
