import { Worker } from "node:worker_threads";
import { exactNumber } from "../../../kit/json/exact-number.ts";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { SqlValue } from "../../../kit/sqlite/sqlite.ts";
import type { BoundValue } from "../statement/dialect.ts";
import type { Access, Connection, Pool, PoolSettings, RowCollector } from "./database.ts";
import { type ErrorTable, kindFinder, type SqlProblem, wordsOf } from "./errors/sql-problem.ts";
import type { SqliteDone, SqliteFailure, SqliteJob, SqliteReply } from "./sqlite-worker.ts";

/** Primary result codes of SQLite, and the extended ones with a different meaning: sqlite.org/rescode.html. */
const sqliteErrors: ErrorTable = {
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

/** One thread for queries, which opens the file read-only, and one for events: SQLite allows one writer anyway. */
export async function openSqlite({ file }: PoolSettings): Promise<Pool> {
  const lines = { read: openLine(file, true), write: openLine(file, false) };
  return {
    acquire: (access) => lines[access].acquire(),
    explain,
    close: async () => {
      await Promise.all([lines.read.close(), lines.write.close()]);
    },
  };
}

/** A connection in its own thread, borrowed by one caller at a time. */
function openLine(file: string, readOnly: boolean) {
  let worker: Worker | null = null;
  let answer: { resolve: (done: SqliteDone) => void; reject: (error: Error) => void } | null = null;
  let free: Promise<void> = Promise.resolve();

  const start = (): Worker => {
    const started = new Worker(moduleUrl("./sqlite-worker", import.meta.url), { workerData: { file, readOnly } });
    // An abandoned thread may still answer: its answer must not reach the current caller.
    const settle = (end: (waiting: NonNullable<typeof answer>) => void) => {
      if (worker !== started || answer === null) return;
      const waiting = answer;
      answer = null;
      end(waiting);
    };
    started.on("message", (reply: SqliteReply) =>
      settle(({ resolve, reject }) => ("done" in reply ? resolve(reply.done) : reject(new SqliteError(reply.failure)))),
    );
    started.on("error", (error: Error) => settle(({ reject }) => reject(error)));
    started.on("exit", () => {
      settle(({ reject }) => reject(closed()));
      if (worker === started) worker = null;
    });
    // The idle thread must not keep the process alive; a pending job does that itself.
    started.unref();
    return started;
  };

  const perform = (job: SqliteJob): Promise<SqliteDone> =>
    new Promise((resolve, reject) => {
      answer = { resolve, reject };
      worker ??= start();
      worker.postMessage(job);
    });

  const close = async () => {
    const closing = worker;
    worker = null;
    answer?.reject(closed());
    answer = null;
    await closing?.terminate();
  };

  const lend = (giveBack: () => void): Connection => {
    const exec = async (sql: string) => {
      await perform({ kind: "exec", sql });
    };
    return {
      // Takes the write lock at once: a transaction that starts as a reader can fail when it writes after another
      // writer.
      begin: (access: Access) => exec(access === "read" ? "BEGIN" : "BEGIN IMMEDIATE"),
      run: async (sql, values, rows) => {
        let done = await perform({ kind: "run", sql, values: values.map(sqliteValue) });
        let { affected } = done;
        nameColumns(done, rows);
        while (collect(done, rows) && done.isMore) {
          done = await perform({ kind: "more" });
          affected += done.affected;
        }
        return affected;
      },
      verify: async (sql) => {
        await perform({ kind: "verify", sql });
      },
      commit: () => exec("COMMIT"),
      rollback: () => exec("ROLLBACK"),
      release: (isBroken) => {
        // The thread may be running a statement that cannot be stopped: the next caller gets a new thread.
        if (isBroken) void close();
        giveBack();
      },
    };
  };

  return {
    acquire: async (): Promise<Connection> => {
      const turn = free;
      let giveBack = () => {};
      free = new Promise((resolve) => {
        giveBack = resolve;
      });
      await turn;
      return lend(giveBack);
    },
    close,
  };
}

function nameColumns({ columns }: SqliteDone, rows: RowCollector): void {
  if (columns.length === 0) return;
  const read = (value: unknown) => (typeof value === "bigint" ? exactNumber(value.toString()) : value);
  rows.columns(columns.map((name) => ({ name, read })));
}

/** False if no more rows are wanted. */
const collect = (done: SqliteDone, rows: RowCollector): boolean => done.rows.every((row) => rows.add(row));

/** The library does not accept booleans, and would store every number as REAL, whole numbers included. */
function sqliteValue(value: BoundValue): SqlValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value === "string") return value;
  return JSON.stringify(value);
}

class SqliteError extends Error {
  readonly resultCode: number;
  constructor({ message, resultCode }: SqliteFailure) {
    super(message);
    this.resultCode = resultCode;
  }
}

const interrupted = 9;
const closed = () => new SqliteError({ message: "the connection was closed", resultCode: interrupted });
const kindOfCode = kindFinder(sqliteErrors);

function explain(error: unknown): SqlProblem {
  const resultCode = error instanceof SqliteError ? error.resultCode : 0;
  const text = wordsOf(error);
  // The primary code is the lowest byte of an extended code.
  const kind = kindOfCode(String(resultCode)) ?? kindOfCode(String(resultCode & 0xff)) ?? "unknown";
  const constraint = /constraint failed: (.+)$/.exec(text)?.[1] ?? "";
  return { kind, code: String(resultCode), sqlState: "", constraint, text };
}
