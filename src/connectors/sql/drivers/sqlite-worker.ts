import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type Database, openDatabase, type SqlValue } from "../../../kit/sqlite/sqlite.ts";
import { sizeOf } from "./database.ts";

/** The jobs of a SQLite file's thread, run one after the other. */
export type SqliteJob =
  | { readonly kind: "exec"; readonly sql: string }
  | { readonly kind: "verify"; readonly sql: string }
  | { readonly kind: "run"; readonly sql: string; readonly values: readonly SqlValue[] }
  /** The next rows of the last statement. */
  | { readonly kind: "more" };

export interface SqliteDone {
  readonly columns: readonly string[];
  /**
   * A few rows at a time: a long result would otherwise be in memory three times, in the thread, in transit and in the
   * caller.
   */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly isMore: boolean;
  readonly affected: number;
}

export interface SqliteFailure {
  readonly message: string;
  readonly resultCode: number;
}

export type SqliteReply = { readonly done: SqliteDone } | { readonly failure: SqliteFailure };

interface SqliteFile {
  readonly file: string;
  readonly readOnly: boolean;
}

/**
 * The thread of one SQLite connection. The library is synchronous; in the main thread every request would wait for it.
 */
const { file, readOnly } = workerData as SqliteFile;
let database: Database | undefined;

const cannotOpen = 14;

const rowsAtOnce = 500;
const bytesAtOnce = 2 ** 20;

type Rows = Iterator<readonly SqlValue[]>;
/** The rest of the last result that was not requested yet. */
let rest: { readonly columns: readonly string[]; readonly rows: Rows } | undefined;

const nothing: SqliteDone = { columns: [], rows: [], affected: 0, isMore: false };

function perform(job: SqliteJob): SqliteDone {
  // The library would create the file: a typing error in the configuration would become an empty database.
  if (database === undefined && !existsSync(file)) {
    throw Object.assign(new Error(`there is no file ${file}`), { errcode: cannotOpen });
  }
  if (job.kind === "more") return nextRows();
  // Closed explicitly: an open result would keep its transaction from ending.
  rest?.rows.return?.();
  rest = undefined;
  database ??= openDatabase(file, { readOnly, bigIntegers: true });
  if (job.kind === "exec") {
    database.exec(job.sql);
    return nothing;
  }
  const values = job.kind === "run" ? job.values : [];
  const statement = database.statement(job.sql, values.length);
  const columns = statement.columns();
  if (job.kind === "verify") return { ...nothing, columns };
  if (columns.length === 0) return { ...nothing, affected: statement.run(...values).changes };
  rest = { columns, rows: statement.iterate(...values)[Symbol.iterator]() };
  return nextRows();
}

function nextRows(): SqliteDone {
  if (rest === undefined) return nothing;
  const { columns, rows } = rest;
  const some: (readonly SqlValue[])[] = [];
  let size = 0;
  while (some.length < rowsAtOnce && size < bytesAtOnce) {
    const next = rows.next();
    if (next.done === true) {
      rest = undefined;
      break;
    }
    some.push(next.value);
    for (const value of next.value) size += sizeOf(value);
  }
  return { columns, rows: some, affected: some.length, isMore: rest !== undefined };
}

parentPort?.on("message", (job: SqliteJob) => {
  let reply: SqliteReply;
  try {
    reply = { done: perform(job) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const resultCode = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
    reply = { failure: { message, resultCode } };
  }
  parentPort?.postMessage(reply);
});
