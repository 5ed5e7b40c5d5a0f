import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { SqlStore } from "./sql-store.ts";

export function openSqliteStore(file: string): SqlStore {
  const database = openDatabase(file);
  // The adapter must be able to read while the ERP writes.
  database.exec("PRAGMA journal_mode = WAL");
  // A short time: waiting blocks this process, and the next turn comes soon.
  database.exec("PRAGMA busy_timeout = 20");
  return {
    run: async (sql, values = []) => database.statement(sql).run(...values).changes,
    all: async (sql, values = []) => database.statement(sql).all(...values),
    // IMMEDIATE: a transaction that began as a reader could not write after the adapter has written.
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
