import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/**
 * The only place that uses node:sqlite. It avoids two traps of the driver: an object as first argument
 * silently becomes named parameters, and a missing argument silently becomes NULL.
 */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface Statement {
  readonly get: <Row = SqlRow>(...values: SqlValue[]) => Row | undefined;
  readonly all: <Row = SqlRow>(...values: SqlValue[]) => Row[];
  readonly run: (...values: SqlValue[]) => { changes: number; lastRowId: number };
  /** Row by row, as lists of values, so that the caller can stop. */
  readonly iterate: (...values: SqlValue[]) => Iterable<readonly SqlValue[]>;
  /** Names of the columns; empty if the statement returns no rows. */
  readonly columns: () => readonly string[];
}

export interface Database {
  readonly exec: (sql: string) => void;
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
  return {
    exec: (sql) => driver.exec(sql),
    statement: (sql, valueCount) => {
      // The same text with a different count is a different statement: the count is checked at every call.
      const key = valueCount === undefined ? sql : `${valueCount} ${sql}`;
      let statement = statements.get(key);
      if (statement === undefined) {
        const prepared = driver.prepare(sql);
        if (options.bigIntegers === true) prepared.setReadBigInts(true);
        statement = guarded(prepared, sql, valueCount);
        if (options.onDamage !== undefined) statement = watched(statement, options.onDamage);
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
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if ((statSync(one).mode & 0o077) !== 0) chmodSync(one, 0o600);
    } catch {
      // It does not exist, or belongs to another user, whose permissions are not ours to change.
    }
  }
}

function guarded(statement: StatementSync, sql: string, expected = sql.split("?").length - 1): Statement {
  const check = (values: readonly SqlValue[]): SQLInputValue[] => {
    if (values.length !== expected) throw new Error(`${expected} values expected, ${values.length} given: ${sql}`);
    const first = values[0];
    if (typeof first === "object" && first !== null && !(first instanceof Uint8Array)) {
      throw new Error(`an object is not an SQL value: ${sql}`);
    }
    return values as SQLInputValue[];
  };
  const rowOf = rowReader(statement);
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
    return named;
  };
}

/** For constraints, where `IN` would build a table of the values for every row that is written. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.map((value) => `${column} = '${value}'`).join(" OR ");
