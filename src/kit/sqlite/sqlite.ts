import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { errorCode } from "../narrow.ts";
import { type Columns, checkColumns, type RowCodec, type RowOf, type SqlRow, type SqlValue } from "./row.ts";

export type { SqlRow, SqlValue };

/**
 * The only place that uses node:sqlite. It avoids two traps of the driver: an object as first argument
 * silently becomes named parameters, and a missing argument silently becomes NULL.
 */
export interface Statement {
  readonly get: <Row = SqlRow>(...values: SqlValue[]) => Row | undefined;
  readonly all: <Row = SqlRow>(...values: SqlValue[]) => Row[];
  readonly run: (...values: SqlValue[]) => { changes: number; lastRowId: number };
  /** Row by row, as lists of values, so that the caller can stop. */
  readonly iterate: (...values: SqlValue[]) => Iterable<readonly SqlValue[]>;
  /** Names of the columns; empty if the statement returns no rows. */
  readonly columns: () => readonly string[];
}

/** A statement whose rows are known: their type follows from the codec that it was prepared with. */
export interface SqlQuery<Row> {
  readonly get: (...values: SqlValue[]) => Row | undefined;
  readonly all: (...values: SqlValue[]) => Row[];
}

export interface Database {
  readonly exec: (sql: string) => void;
  /** For whatever gives rows. The columns are compared with the codec when it is prepared, the values at the first row. */
  readonly query: <Shape extends Columns>(sql: string, codec: RowCodec<Shape>) => SqlQuery<RowOf<Shape>>;
  /**
   * Statements are prepared once per text and cached: texts are constants of the code, never built from data.
   * The number of values is that of the question marks, unless it is given: a text may contain some in its strings.
   */
  readonly statement: (sql: string, valueCount?: number) => Statement;
  /** A consistent copy into another file, off this thread, while others write. */
  readonly backup: (file: string) => Promise<void>;
  readonly close: () => void;
  readonly isOpen: () => boolean;
}

export interface DatabaseOptions {
  readonly readOnly?: boolean;
  /** Whole numbers are returned as bigint: otherwise one too large for a JavaScript number is an error. */
  readonly bigIntegers?: boolean;
  /** Readable for its owner only, wherever it is; also the files that SQLite puts beside it. */
  readonly isPrivate?: boolean;
  /** Called when a statement finds that the file is damaged; the statement fails all the same. */
  readonly onDamage?: (reason: string) => void;
}

export function openDatabase(file: string, options: DatabaseOptions = {}): Database {
  if (options.isPrivate === true && file !== ":memory:") makePrivate(file);
  const driver = new DatabaseSync(file, { readOnly: options.readOnly ?? false, timeout: 5000 });
  const statements = new Map<string, Statement>();
  const queries = new Map<string, CheckedQuery>();
  const prepare = (sql: string, valueCount?: number, codec?: RowCodec): Statement => {
    const prepared = driver.prepare(sql);
    if (options.bigIntegers === true) prepared.setReadBigInts(true);
    if (codec !== undefined) checkColumns(codec, prepared.columns(), sql);
    const statement = guarded(prepared, sql, valueCount, codec);
    return options.onDamage === undefined ? statement : watched(statement, options.onDamage);
  };
  return {
    exec: (sql) => driver.exec(sql),
    query: <Shape extends Columns>(sql: string, codec: RowCodec<Shape>) => {
      let known = queries.get(sql);
      if (known === undefined || known.codec !== codec) {
        known = { codec, statement: prepare(sql, undefined, codec) };
        queries.set(sql, known);
      }
      // Its columns were compared with the codec, whose type this is; that they hold such values, STRICT tables make sure.
      return known.statement as SqlQuery<unknown> as SqlQuery<RowOf<Shape>>;
    },
    statement: (sql, valueCount) => {
      // The same text with a different count is a different statement: the count is checked at every call.
      const key = valueCount === undefined ? sql : `${valueCount} ${sql}`;
      let statement = statements.get(key);
      if (statement === undefined) {
        statement = prepare(sql, valueCount);
        statements.set(key, statement);
      }
      return statement;
    },
    backup: async (file) => {
      // All pages in one step: a copy in several steps restarts whenever somebody writes in between.
      await backup(driver, file, { rate: 0x7fff_ffff });
    },
    close: () => {
      statements.clear();
      queries.clear();
      driver.close();
    },
    isOpen: () => driver.isOpen,
  };
}

/** Never opens an existing file: closing it again would release the locks that this process has on it. */
function makePrivate(file: string): void {
  try {
    // Created before SQLite does it with the default permissions.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if ((statSync(one).mode & 0o077) !== 0) chmodSync(one, 0o600);
    } catch {
      // It does not exist, or belongs to another user, whose permissions are not ours to change.
    }
  }
}

function guarded(
  statement: StatementSync,
  sql: string,
  expected = sql.split("?").length - 1,
  codec?: RowCodec,
): Statement {
  const check = (values: readonly SqlValue[]): SQLInputValue[] => {
    if (values.length !== expected) throw new Error(`${expected} values expected, ${values.length} given: ${sql}`);
    const first = values[0];
    if (typeof first === "object" && first !== null && !(first instanceof Uint8Array)) {
      throw new Error(`an object is not an SQL value: ${sql}`);
    }
    // The same values; the driver wants a list that it could change.
    return values as SQLInputValue[];
  };
  const rowOf = rowReader(statement, (row) => codec?.check(row, sql));
  return {
    // The caller names the row type of its own SELECT list; the driver cannot know it.
    get: <Row>(...values: SqlValue[]) => {
      const row = statement.get(...check(values));
      return row === undefined ? undefined : (rowOf(row) as Row);
    },
    all: <Row>(...values: SqlValue[]) => statement.all(...check(values)).map(rowOf) as Row[],
    run: (...values) => {
      const { changes, lastInsertRowid } = statement.run(...check(values));
      return { changes: Number(changes), lastRowId: Number(lastInsertRowid) };
    },
    // Lists, because rowReader requested them; the driver's declared type knows only objects.
    iterate: (...values) => statement.iterate(...check(values)) as Iterable<unknown> as Iterable<readonly SqlValue[]>,
    columns: () => statement.columns().map(({ name }) => name),
  };
}

/** Corrupt, or not a database at all. */
export const isDamage = (error: unknown): boolean =>
  [11, 26].includes(Number((error as { errcode?: number }).errcode ?? 0) & 0xff);

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
  // The caller names the row type, as for the statement itself.
  return { ...statement, get: watch(statement.get) as Statement["get"], all: watch(statement.all) as Statement["all"] };
}

/** Rows arrive as lists of values and get their names here: the driver would create every name again for every row. */
function rowReader(statement: StatementSync): (row: unknown) => SqlRow {
  statement.setReturnArrays(true);
  let names: readonly string[] = [];
  let blank: SqlRow = {};
  return (row) => {
    // The driver's declared type knows only objects.
    const values = row as readonly SqlValue[];
    // At the first row, and again if the columns of a SELECT * have changed.
    if (values.length !== names.length) {
      names = statement.columns().map(({ name }) => name);
      blank = Object.fromEntries(names.map((name) => [name, null]));
    }
    // A copy keeps one object shape; adding the members one by one would change the shape each time.
    const named = { ...blank };
    for (let index = 0; index < names.length; index++) named[names[index] ?? ""] = values[index] ?? null;
    if (isFirst) checkFirst(named);
    return named;
  };
}

/** For constraints, where `IN` would build a table of the values for every row that is written. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.map((value) => `${column} = '${value}'`).join(" OR ");
