import type { FieldPacket, PoolConnection, PoolOptions, TypedParameterValue } from "mysql2";
import { exactJson, exactNumber } from "../../../kit/json/exact-number.ts";
import {
  type Column,
  type Connection,
  type Login,
  loadDriver,
  type Pool,
  type PoolSettings,
  type RowCollector,
} from "./database.ts";
import { mysqlErrors } from "./errors/mysql-errors.ts";
import { kindFinder, kindOfState, networkProblem, type SqlProblem, textMember, wordsOf } from "./errors/sql-problem.ts";
import { encodedInTurns, LongText } from "./long-text.ts";

/** Numbers of column types in the protocol. */
const columnType = { decimal: 0, float: 4, bigint: 8, bit: 16, json: 245, newDecimal: 246 };

/** MariaDB and MySQL. */
export async function openMysql(settings: PoolSettings): Promise<Pool> {
  const { default: mysql } = await loadDriver("mysql2", () => import("mysql2"));
  const poolOf = ({ user, password }: Login) => {
    const options: PoolOptions = {
      host: settings.host,
      port: settings.port,
      database: settings.database,
      user,
      password,
      ...(settings.tls === false ? {} : { ssl: tlsOf(settings) }),
      connectionLimit: settings.poolSize,
      connectTimeout: settings.connectTimeoutMs,
      charset: "utf8mb4_unicode_ci",
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
      // Otherwise the library generates code from column names and runs it.
      disableEval: true,
      multipleStatements: false,
    };
    return mysql.createPool(options);
  };
  const write = poolOf(settings.login);
  const read = settings.readLogin === settings.login ? write : poolOf(settings.readLogin);
  const pools = new Set([write, read]);
  const prepared = new WeakSet<object>();

  return {
    acquire: async (access) => {
      const pool = access === "read" ? read : write;
      const lent = await new Promise<PoolConnection>((resolve, reject) =>
        pool.getConnection((error, connection) => (error === null ? resolve(connection) : reject(error))),
      );
      const connection = connectionOf(lent, mysql.TypedParameter.VAR_STRING);
      try {
        // The pool returns a new wrapper around the same connection each time.
        const key: object = Reflect.get(lent, "stream") ?? lent;
        if (!prepared.has(key)) await prepareSession(lent, settings);
        prepared.add(key);
      } catch (error) {
        connection.release(true);
        throw error;
      }
      return connection;
    },
    explain,
    close: async () => {
      await Promise.all([...pools].map((pool) => new Promise((resolve) => pool.end(resolve))));
    },
  };
}

function tlsOf({ tls, host }: PoolSettings) {
  if (tls === false) return {};
  const { verify, serverName, ...files } = tls;
  // The library checks the server's name only with this option.
  return { ...files, rejectUnauthorized: verify, verifyIdentity: verify, servername: serverName ?? host };
}

/**
 * Runs once per connection: sets the statement timeout, and makes a value that is too long an error instead of cutting
 * it.
 */
async function prepareSession(connection: PoolConnection, { statementTimeoutMs }: PoolSettings): Promise<void> {
  const [version] = await rowOf(connection, "SELECT VERSION()");
  const seconds = Math.max(1, Math.ceil(statementTimeoutMs / 1000));
  const limit = /mariadb/i.test(String(version))
    ? `max_statement_time = ${statementTimeoutMs / 1000}`
    : `max_execution_time = ${statementTimeoutMs}`;
  const mode = "CONCAT_WS(',', REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', ''), 'STRICT_ALL_TABLES')";
  await simple(connection, `SET SESSION ${limit}, innodb_lock_wait_timeout = ${seconds}, sql_mode = ${mode}`);
}

const simple = (connection: PoolConnection, sql: string): Promise<void> =>
  new Promise((resolve, reject) => connection.query(sql, (error) => (error === null ? resolve() : reject(error))));

const rowOf = (connection: PoolConnection, sql: string): Promise<unknown[]> =>
  new Promise((resolve, reject) =>
    connection.query({ sql, rowsAsArray: true }, (error, rows) =>
      // With rowsAsArray each row is a list; the declared result type also covers other forms.
      error === null ? resolve((rows as unknown[][])[0] ?? []) : reject(error),
    ),
  );

/** Makes a value that the library sends as a text, though it is given as bytes. */
type AsText = (bytes: Buffer) => TypedParameterValue;

function connectionOf(connection: PoolConnection, asText: AsText): Connection {
  return {
    begin: (access) =>
      simple(connection, `START TRANSACTION${access === "read" ? " WITH CONSISTENT SNAPSHOT, READ ONLY" : ""}`),
    run: async (text, values, rows) => {
      const encoded = await encodedInTurns(values);
      const given = encoded.map((value) => (value instanceof LongText ? asText(value.bytes) : value));
      return execute(connection, text, given, rows);
    },
    verify: (text) =>
      new Promise((resolve, reject) =>
        connection.prepare(text, (error, statement) => {
          if (error !== null) return reject(error);
          statement.close();
          resolve();
        }),
      ),
    commit: () => simple(connection, "COMMIT"),
    rollback: () => simple(connection, "ROLLBACK"),
    release: (isBroken) => (isBroken ? connection.destroy() : connection.release()),
  };
}

/** Uses prepared statements: otherwise the library would write the values into the text itself. */
function execute(
  connection: PoolConnection,
  sql: string,
  values: readonly unknown[],
  rows: RowCollector,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let affected = 0;
    const command = connection.execute({ sql, values: [...values], rowsAsArray: true });
    command.on("error", reject);
    command.on("fields", (fields: FieldPacket[] | undefined) => {
      try {
        if (fields !== undefined) rows.columns(fields.map(columnOf));
      } catch (error) {
        rows.isCut = true;
        reject(error);
      }
    });
    command.on("result", (result: unknown) => {
      if (rows.isCut) return;
      try {
        if (!Array.isArray(result)) affected = Number(Reflect.get(Object(result), "affectedRows") ?? 0);
        // Only closing the connection stops a server that is sending; the borrower closes it.
        else if (!rows.add(result)) resolve(0);
      } catch (error) {
        // An exception in a listener would not be caught, and the process would end.
        rows.isCut = true;
        reject(error);
      }
    });
    command.on("end", () => resolve(affected));
  });
}

function columnOf({ name, type, columnType: given }: FieldPacket): Column {
  return { name, read: readers.get(type ?? given ?? -1) };
}

const readers = new Map<number, (value: unknown) => unknown>([
  [columnType.decimal, (value) => exactNumber(String(value))],
  [columnType.newDecimal, (value) => exactNumber(String(value))],
  [columnType.bigint, (value) => exactNumber(String(value))],
  [columnType.json, (value) => exactJson(String(value))],
  [columnType.float, shortest],
  [
    columnType.bit,
    (value) => (Buffer.isBuffer(value) && value.length <= 6 ? value.readUIntBE(0, value.length) : value),
  ],
]);

/** A single-precision number as it was written: 0.1 and not 0.10000000149. */
function shortest(value: unknown): unknown {
  if (typeof value !== "number") return value;
  for (let digits = 6; digits <= 8; digits++) {
    const written = Number(value.toPrecision(digits));
    if (Math.fround(written) === value) return written;
  }
  return value;
}

const kindOfNumber = kindFinder(mysqlErrors);

function explain(error: unknown): SqlProblem {
  const sqlState = error instanceof Error ? textMember(error, "sqlState") : "";
  if (!(error instanceof Error) || sqlState === "") {
    const text = wordsOf(error);
    return networkProblem(error) ?? { kind: "unreachable", code: "", sqlState, constraint: "", text };
  }
  const code = textMember(error, "errno");
  return {
    kind: kindOfNumber(code) ?? kindOfState(sqlState),
    code,
    sqlState,
    // The name is only in the text: "… for key 'orders.uq_entry'", "CONSTRAINT `fk_order` FOREIGN KEY".
    constraint: /(?:for key '|CONSTRAINT [`'])([^'`]+)/.exec(error.message)?.[1] ?? "",
    text: error.message,
  };
}
