import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type Database, openDatabase, type SqlValue } from "../../../kit/sqlite.ts";
import { largestResult, sizeOf } from "./result-size.ts";
import type { SqliteDone, SqliteFile, SqliteJob, SqliteReply } from "./sqlite-job.ts";

/** The thread of one SQLite connection. The library answers only when it is done; here nobody else waits for it. */
const { file, readOnly } = workerData as SqliteFile;
let database: Database | undefined;

const cannotOpen = 14;

function perform(job: SqliteJob): SqliteDone {
  // The library would create it: a typing error in the configuration must not become an empty ERP.
  if (database === undefined && !existsSync(file)) {
    throw Object.assign(new Error(`there is no file ${file}`), { errcode: cannotOpen });
  }
  database ??= openDatabase(file, { readOnly, bigIntegers: true });
  if (job.kind === "exec") {
    database.exec(job.sql);
    return { columns: [], rows: [], affected: 0 };
  }
  const values = job.kind === "run" ? job.values : [];
  const statement = database.statement(job.sql, values.length);
  const columns = statement.columns();
  if (job.kind === "verify") return { columns, rows: [], affected: 0 };
  if (columns.length === 0) return { columns, rows: [], affected: statement.run(...values).changes };
  const rows: (readonly SqlValue[])[] = [];
  let size = 0;
  for (const row of statement.iterate(...values)) {
    rows.push(row);
    for (const value of row) size += sizeOf(value);
    if (rows.length > job.maxRows || size > largestResult) break;
  }
  return { columns, rows, affected: rows.length };
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
