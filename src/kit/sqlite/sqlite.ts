import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { errorCode } from "../narrow.ts";
import { type TransactionRecorder, transactionRecorder } from "./recording/transaction-recorder.ts";
import { type Columns, checkColumns, type RowCodec, type RowOf, type SqlRow, type SqlValue } from "./row.ts";

export type { SqlRow, SqlValue };

/**
 * The only place that uses node:sqlite. It avoids two traps of the driver: an object as first argument silently becomes
 * named parameters, and a missing argument silently becomes NULL.
 */
export interface Statement {
  /** The rows have no known type. Use `query` for typed rows. */
  readonly get: (...values: SqlValue[]) => SqlRow | undefined;
  readonly all: (...values: SqlValue[]) => SqlRow[];
  readonly run: (...values: SqlValue[]) => { changes: number; lastRowId: number };
  /** Yields row by row, as lists of values, so that the caller can stop. */
  readonly iterate: (...values: SqlValue[]) => Iterable<readonly SqlValue[]>;
  /** The names of the columns; none if the statement returns no rows. */
  readonly columns: () => readonly string[];
}

/** A statement with typed rows. The type follows from the codec that it was prepared with. */
export interface SqlQuery<Row> {
  readonly get: (...values: SqlValue[]) => Row | undefined;
  readonly all: (...values: SqlValue[]) => Row[];
}

export interface Database {
  readonly exec: (sql: string) => void;
  /**
   * For statements that return rows. The columns are compared with the codec when the statement is prepared, the values
   * at the first row.
   */
  readonly query: <Shape extends Columns>(sql: string, codec: RowCodec<Shape>) => SqlQuery<RowOf<Shape>>;
  /**
   * Statements are prepared once per text and kept, because texts are constants of the code and never built from data.
   * The number of values is the number of question marks. Give it explicitly if strings in the text contain some.
   */
  readonly statement: (sql: string, valueCount?: number) => Statement;
  /** Makes a consistent copy into another file, outside this thread, while others write. */
  readonly backup: (file: string) => Promise<void>;
  /** Records all changes from now on, in all tables with a primary key. */
  readonly record: () => Recording;
  /**
   * Records the changes of the next transaction, which must be read before it is committed and dropped if it is rolled
   * back. Much cheaper than `record` if all of its changes are made by plain statements of strict tables.
   */
  readonly recordTransaction: () => Recording;
  /**
   * Applies recorded changes, all or none. Returns false if a row differs from what it was where they were recorded.
   */
  readonly apply: (changeset: Uint8Array) => boolean;
  readonly isInTransaction: () => boolean;
  readonly close: () => void;
  readonly isOpen: () => boolean;
}

export interface Recording {
  /** Empty if nothing was changed. */
  readonly changeset: () => Uint8Array;
  readonly close: () => void;
}

export interface DatabaseOptions {
  readonly readOnly?: boolean;
  /** Whether whole numbers are read as bigint. Otherwise a number too large for JavaScript is an error. */
  readonly bigIntegers?: boolean;
  /** Whether only the owner may read the file, in any folder. This includes the files that SQLite puts beside it. */
  readonly isPrivate?: boolean;
  /** Called when a statement finds that the file is damaged. The statement fails nevertheless. */
  readonly onDamage?: (reason: string) => void;
}

export function openDatabase(file: string, options: DatabaseOptions = {}): Database {
  if (options.isPrivate === true && file !== ":memory:") makePrivate(file);
  const driver = new DatabaseSync(file, { readOnly: options.readOnly ?? false, timeout: 5000 });
  const statements = new Map<string, Statement>();
  const queries = new Map<string, CheckedQuery>();
  const recorder = transactionRecorder(driver);
  const prepare = (sql: string, valueCount?: number, codec?: RowCodec): Statement => {
    const prepared = driver.prepare(sql);
    if (options.bigIntegers === true) prepared.setReadBigInts(true);
    if (codec !== undefined) checkColumns(codec, prepared.columns(), sql);
    const recording = readsOnly.test(sql) ? null : recorder;
    const statement = guarded(prepared, sql, { expected: valueCount, codec, recorder: recording });
    return options.onDamage === undefined ? statement : watched(statement, options.onDamage);
  };
  return {
    exec: (sql) => {
      if (recorder.isRecording() && !ofTransaction.test(sql)) recorder.leaveToSqlite();
      driver.exec(sql);
    },
    query: <Shape extends Columns>(sql: string, codec: RowCodec<Shape>) => {
      let known = queries.get(sql);
      if (known === undefined || known.codec !== codec) {
        known = { codec, statement: prepare(sql, undefined, codec) };
        queries.set(sql, known);
      }
      // The columns were compared with the codec, which gives this type. STRICT tables make sure that the values match.
      return known.statement as SqlQuery<unknown> as SqlQuery<RowOf<Shape>>;
    },
    statement: (sql, valueCount) => {
      // The same text with another number of values is another statement, because the number is checked at every call.
      const key = valueCount === undefined ? sql : `${valueCount} ${sql}`;
      let statement = statements.get(key);
      if (statement === undefined) {
        statement = prepare(sql, valueCount);
        statements.set(key, statement);
      }
      return statement;
    },
    backup: async (file) => {
      // All pages in one step: a copy in several steps starts again whenever another connection writes meanwhile.
      await backup(driver, file, { rate: 0x7fff_ffff });
    },
    record: () => {
      const session = driver.createSession();
      return { changeset: () => session.changeset(), close: () => session.close() };
    },
    recordTransaction: () => {
      recorder.begin();
      return { changeset: recorder.changeset, close: recorder.end };
    },
    apply: (changeset) => {
      recorder.leaveToSqlite();
      // Without a handler, the first conflict undoes everything.
      return driver.applyChangeset(changeset);
    },
    close: () => {
      statements.clear();
      queries.clear();
      driver.close();
    },
    isInTransaction: () => driver.isTransaction,
    isOpen: () => driver.isOpen,
  };
}

/** Statements that change no rows, whatever their values are. */
const readsOnly = /^\s*(SELECT|PRAGMA)\b/i;
const ofTransaction = /^(BEGIN IMMEDIATE|BEGIN|COMMIT|ROLLBACK)$/;

interface CheckedQuery {
  readonly codec: RowCodec;
  readonly statement: Statement;
}

/** Never opens an existing file: closing it again would release the locks that this process holds on it. */
function makePrivate(file: string): void {
  try {
    // Created here first, before SQLite creates it with the usual permissions.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if ((statSync(one).mode & 0o077) !== 0) chmodSync(one, 0o600);
    } catch {
      // The file does not exist, or it belongs to another user, who decides who may read it.
    }
  }
}

interface GuardOptions {
  readonly expected: number | undefined;
  readonly codec: RowCodec | undefined;
  /** Null if the statement changes no rows. */
  readonly recorder: TransactionRecorder | null;
}

function guarded(statement: StatementSync, sql: string, { codec, recorder, ...options }: GuardOptions): Statement {
  const { expected = sql.split("?").length - 1 } = options;
  const check = (values: readonly SqlValue[]): SQLInputValue[] => {
    if (values.length !== expected) throw new Error(`${expected} values expected, ${values.length} given: ${sql}`);
    const first = values[0];
    if (typeof first === "object" && first !== null && !(first instanceof Uint8Array)) {
      throw new Error(`an object is not an SQL value: ${sql}`);
    }
    // The same values; the driver's type wants a list that could be changed.
    return values as SQLInputValue[];
  };
  const rowOf = rowReader(statement, (row) => codec?.check(row, sql));
  const execute = (values: SQLInputValue[]) => {
    const { changes, lastInsertRowid } = statement.run(...values);
    return { changes: Number(changes), lastRowId: Number(lastInsertRowid) };
  };
  return {
    get: (...values) => {
      recorder?.leaveToSqlite();
      const row = statement.get(...check(values));
      return row === undefined ? undefined : rowOf(row);
    },
    all: (...values) => {
      recorder?.leaveToSqlite();
      return statement.all(...check(values)).map(rowOf);
    },
    run: (...values) => {
      const given = check(values);
      return recorder?.isRecording() === true ? recorder.run(sql, values, () => execute(given)) : execute(given);
    },
    iterate: (...values) => {
      recorder?.leaveToSqlite();
      // Rows are lists, because rowReader set that; the driver's declared type knows only objects.
      return statement.iterate(...check(values)) as Iterable<unknown> as Iterable<readonly SqlValue[]>;
    },
    columns: () => statement.columns().map(({ name }) => name),
  };
}

/** Whether the database is corrupt, or the file is not a database. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(primaryCode(error));

/** SQLite's primary error number, without the extended part; 0 if it is not an error of SQLite. */
export const primaryCode = (error: unknown): number =>
  typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) & 0xff : 0;

function watched(statement: Statement, onDamage: (reason: string) => void): Statement {
  const watch =
    <Values extends readonly SqlValue[], Batch>(query: (...values: Values) => Batch) =>
    (...values: Values): Batch => {
      try {
        return query(...values);
      } catch (error) {
        if (isDamage(error)) onDamage(error instanceof Error ? error.message : String(error));
        throw error;
      }
    };
  return { ...statement, get: watch(statement.get), all: watch(statement.all) };
}

/** Rows come as lists of values and get their names here. The driver would create every name again for every row. */
function rowReader(statement: StatementSync, checkFirst: (row: SqlRow) => void): (row: unknown) => SqlRow {
  statement.setReturnArrays(true);
  let names: readonly string[] = [];
  let blank: SqlRow = {};
  return (row) => {
    // The driver's declared type knows rows only as objects.
    const values = row as readonly SqlValue[];
    // Checks the first row, and again if SELECT * returns another number of columns than before.
    const isFirst = values.length !== names.length;
    if (isFirst) {
      names = statement.columns().map(({ name }) => name);
      blank = Object.fromEntries(names.map((name) => [name, null]));
    }
    // A copy already has its hidden class. Adding the members one by one would change it with each.
    const named = { ...blank };
    for (let index = 0; index < names.length; index++) named[names[index] ?? ""] = values[index] ?? null;
    if (isFirst) checkFirst(named);
    return named;
  };
}

/** For constraints: `IN` would build a table of the values for every row that is written. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.map((value) => `${column} = '${value}'`).join(" OR ");
