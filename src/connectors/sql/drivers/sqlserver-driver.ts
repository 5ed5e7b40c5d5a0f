import type { ConnectionPool, IColumnMetadata, config as MssqlConfig, Request, Transaction } from "mssql";
import { exactNumber } from "../../../kit/json/exact-number.ts";
import { Fault } from "../../../operation/fault.ts";
import type { BoundValue } from "../statement/dialect.ts";
import {
  type Column,
  type Connection,
  type Login,
  loadDriver,
  type Pool,
  type PoolSettings,
  type RowCollector,
} from "./database.ts";
import { kindFinder, networkProblem, type SqlProblem, textMember, wordsOf } from "./errors/sql-problem.ts";
import { sqlserverErrors } from "./errors/sqlserver-errors.ts";

type Mssql = typeof import("mssql");
type ColumnInfo = IColumnMetadata[string];

/**
 * Microsoft SQL Server. It has no read-only transactions: a query is always rolled back, and only a separate login with
 * nothing but SELECT keeps it from writing.
 */
export async function openSqlserver(
  settings: PoolSettings,
  load: () => Promise<{ readonly default: Mssql }> = () => import("mssql"),
): Promise<Pool> {
  const { default: mssql } = await loadDriver("mssql", load);
  const pools = new Map<Login, Promise<ConnectionPool>>();
  const poolOf = (login: Login): Promise<ConnectionPool> => {
    const opened = pools.get(login) ?? new mssql.ConnectionPool(configOf(settings, login)).connect();
    pools.set(login, opened);
    // A pool that failed to open stays broken: the next call creates a new one.
    opened.catch(() => pools.delete(login));
    return opened;
  };
  return {
    acquire: async (access) => {
      const pool = await poolOf(access === "read" ? settings.readLogin : settings.login);
      return connectionOf(mssql, pool);
    },
    explain,
    close: async () => {
      const opened = await Promise.allSettled(pools.values());
      await Promise.all(opened.map((pool) => (pool.status === "fulfilled" ? pool.value.close() : undefined)));
    },
  };
}

function configOf(settings: PoolSettings, { user, password }: Login): MssqlConfig {
  const { tls } = settings;
  return {
    server: settings.host,
    port: settings.port,
    database: settings.database,
    user,
    password,
    connectionTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.statementTimeoutMs,
    pool: { min: 0, max: settings.poolSize, acquireTimeoutMillis: settings.connectTimeoutMs },
    arrayRowMode: true,
    options: {
      encrypt: tls !== false,
      trustServerCertificate: tls !== false && !tls.verify,
      // Date-times without zone are formatted from the UTC parts of the library's Date, which are the stored values.
      useUTC: true,
      appName: "crossdock",
      ...(tls === false || tls.ca === undefined ? {} : { cryptoCredentialsDetails: { ca: tls.ca } }),
      ...(tls === false || tls.serverName === undefined ? {} : { serverName: tls.serverName }),
    },
  };
}

function connectionOf(mssql: Mssql, pool: ConnectionPool): Connection {
  const transaction: Transaction = new mssql.Transaction(pool);
  let isOver = true;
  // An error of the statement may already have ended the transaction; then there is nothing to roll back.
  transaction.on("rollback", () => {
    isOver = true;
  });
  let cancel = () => {};
  return {
    begin: async () => {
      await transaction.begin(mssql.ISOLATION_LEVEL.READ_COMMITTED);
      isOver = false;
    },
    run: (text, values, rows) => {
      const request = new mssql.Request(transaction);
      cancel = () => request.cancel();
      for (const [index, value] of values.entries()) request.input(`p${index + 1}`, typeOf(mssql, value), given(value));
      return stream(request, text, rows);
    },
    verify: async () => {},
    commit: async () => {
      await transaction.commit();
      isOver = true;
    },
    rollback: async () => {
      if (!isOver) await transaction.rollback();
      isOver = true;
    },
    release: (isBroken) => {
      if (!isBroken) return;
      cancel();
      // The connection is broken: the server rolls back by itself when it closes.
      if (!isOver) transaction.rollback().catch(() => {});
    },
  };
}

const given = (value: BoundValue) => (Array.isArray(value) ? JSON.stringify(value) : value);

function typeOf(mssql: Mssql, value: BoundValue) {
  if (typeof value === "boolean") return mssql.Bit;
  if (typeof value === "number") return Number.isSafeInteger(value) ? mssql.BigInt : mssql.Float;
  return mssql.NVarChar(mssql.MAX);
}

function stream(request: Request, text: string, rows: RowCollector): Promise<number> {
  request.stream = true;
  request.arrayRowMode = true;
  return new Promise((resolve, reject) => {
    let affected = 0;
    const stop = (end: () => void) => {
      rows.isCut = true;
      end();
      request.cancel();
    };
    // In this mode the library passes the columns as a list, which its declared type does not include.
    request.on("recordset", (columns: IColumnMetadata) => {
      try {
        rows.columns(Object.values(columns).map(columnOf));
      } catch (error) {
        stop(() => reject(error));
      }
    });
    request.on("row", (values: readonly unknown[]) => {
      if (rows.isCut) return;
      try {
        if (!rows.add(values)) stop(() => resolve(0));
      } catch (error) {
        stop(() => reject(error));
      }
    });
    request.on("rowsaffected", (count: number) => {
      affected += count;
    });
    request.on("error", reject);
    request.on("done", () => resolve(affected));
    // In this mode the result arrives through the events above.
    void request.query(text);
  });
}

/** Digits that every JavaScript number keeps; the library converts decimals to numbers before we see them. */
const sureDigits = 1e15;

function columnOf({ name, type, scale = 0 }: ColumnInfo): Column {
  const typeName = typeof type === "function" ? type.name : String(Reflect.get(Object(type), "name") ?? "");
  switch (typeName) {
    case "BigInt":
      return { name, read: (value) => exactNumber(String(value)) };
    case "Decimal":
    case "Numeric":
    case "Money":
    case "SmallMoney":
      return { name, read: (value) => sureDecimal(name, value, typeName.endsWith("Money") ? 4 : scale) };
    case "Date":
      return { name, read: (value) => isoOf(value).slice(0, 10) };
    case "Time":
      return { name, read: (value) => isoOf(value).slice(11, -1) };
    case "DateTimeOffset":
      return { name, read: isoOf };
    case "DateTime":
    case "DateTime2":
    case "SmallDateTime":
      return { name, read: (value) => isoOf(value).slice(0, -1) };
    default:
      return { name };
  }
}

const isoOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

function sureDecimal(name: string, value: unknown, scale: number): unknown {
  if (typeof value !== "number" || Math.abs(value) * 10 ** scale < sureDigits) return value;
  throw new Fault(
    "broken",
    `column ${name} has a number with more digits than the driver keeps: use CAST(… AS varchar(50)) AS ${name}`,
  );
}

const kindOfNumber = kindFinder(sqlserverErrors);

/** From this number on, errors are raised by the database's own code: THROW, RAISERROR. */
const firstRaised = 50_000;

function explain(error: unknown): SqlProblem {
  const text = wordsOf(error);
  if (!(error instanceof Error)) return { kind: "unknown", code: "", sqlState: "", constraint: "", text };
  const code = textMember(error, "number");
  const constraint = /constraint ['"]([^'"]+)['"]/i.exec(text)?.[1] ?? /unique index '([^']+)'/.exec(text)?.[1] ?? "";
  const problem = { code, sqlState: "", constraint, text };
  if (code !== "" && textMember(error, "code") === "EREQUEST") {
    return { ...problem, kind: kindOfNumber(code) ?? (Number(code) >= firstRaised ? "raised" : "unknown") };
  }
  if (textMember(error, "code") === "ETIMEOUT" && error.name === "RequestError") return { ...problem, kind: "timeout" };
  return networkProblem(error) ?? { ...problem, kind: "unreachable" };
}
