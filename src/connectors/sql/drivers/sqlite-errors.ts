import type { ErrorTable } from "./error-table.ts";

/** Primary result codes of SQLite, and of the extended ones those that mean something else: sqlite.org/rescode.html. */
export const sqliteErrors: ErrorTable = {
  unreachable: {
    3: "SQLITE_PERM",
    7: "SQLITE_NOMEM",
    9: "SQLITE_INTERRUPT",
    10: "SQLITE_IOERR",
    11: "SQLITE_CORRUPT",
    13: "SQLITE_FULL",
    14: "SQLITE_CANTOPEN",
    22: "SQLITE_NOLFS",
    26: "SQLITE_NOTADB",
  },
  readOnly: { 8: "SQLITE_READONLY" },
  busy: { 5: "SQLITE_BUSY", 6: "SQLITE_LOCKED", 15: "SQLITE_PROTOCOL", 17: "SQLITE_SCHEMA" },
  duplicate: {
    1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
    2067: "SQLITE_CONSTRAINT_UNIQUE",
    2579: "SQLITE_CONSTRAINT_ROWID",
  },
  constraint: { 19: "SQLITE_CONSTRAINT" },
  raised: { 1811: "SQLITE_CONSTRAINT_TRIGGER" },
  data: { 18: "SQLITE_TOOBIG", 20: "SQLITE_MISMATCH" },
  statement: { 1: "SQLITE_ERROR", 23: "SQLITE_AUTH", 25: "SQLITE_RANGE" },
};
