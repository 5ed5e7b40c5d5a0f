import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/**
 * The one place that touches node:sqlite. It closes two traps of the driver: an object as first argument
 * silently becomes named parameters, and a missing argument silently becomes NULL.
 */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface Statement {
  readonly get: <Row = SqlRow>(...values: SqlValue[]) => Row | undefined;
  readonly all: <Row = SqlRow>(...values: SqlValue[]) => Row[];
  readonly run: (...values: SqlValue[]) => { changes: number; lastRowId: number };
}

export interface Database {
  readonly exec: (sql: string) => void;
  /** Statements are prepared once per text and kept: texts are constants of the code, never built from data. */
  readonly statement: (sql: string) => Statement;
  /** A consistent copy into another file, off this thread, while others write. */
  readonly backup: (file: string) => Promise<void>;
  readonly close: () => void;
  readonly isOpen: () => boolean;
}

export function openDatabase(file: string, options: { readOnly?: boolean } = {}): Database {
  const driver = new DatabaseSync(file, { readOnly: options.readOnly ?? false, timeout: 5000 });
  const statements = new Map<string, Statement>();
  return {
    exec: (sql) => driver.exec(sql),
    statement: (sql) => {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = guarded(driver.prepare(sql), sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    backup: async (file) => {
      // All pages in one step: a copy in several steps starts anew whenever somebody writes in between.
      await backup(driver, file, { rate: 0x7fff_ffff });
    },
    close: () => {
      statements.clear();
      driver.close();
    },
    isOpen: () => driver.isOpen,
  };
}

function guarded(statement: StatementSync, sql: string): Statement {
  const expected = sql.split("?").length - 1;
  const check = (values: readonly SqlValue[]): SQLInputValue[] => {
    if (values.length !== expected) throw new Error(`${expected} values expected, ${values.length} given: ${sql}`);
    const first = values[0];
    if (typeof first === "object" && first !== null && !(first instanceof Uint8Array)) {
      throw new Error(`an object is no SQL value: ${sql}`);
    }
    return values as SQLInputValue[];
  };
  return {
    // The caller names the row type that its own SELECT list has; the driver cannot know it.
    get: <Row>(...values: SqlValue[]) => statement.get(...check(values)) as Row | undefined,
    all: <Row>(...values: SqlValue[]) => statement.all(...check(values)) as Row[],
    run: (...values) => {
      const { changes, lastInsertRowid } = statement.run(...check(values));
      return { changes: Number(changes), lastRowId: Number(lastInsertRowid) };
    },
  };
}
