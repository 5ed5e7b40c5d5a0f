import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { SqlOptions } from "../../../src/connectors/sql/options.ts";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { type PeerAddress, peerGroup } from "../../peers/peer.ts";
import { newFolder, removeFolder } from "../temporary-folder.ts";

/** A separate database for one group of tests. */
export interface SqlDatabase {
  readonly driver: "postgres" | "mysql" | "sqlite";
  /** The options with which the connector reaches the database. */
  readonly options: () => Pick<SqlOptions, "driver" | "host" | "port" | "database" | "username" | "password" | "file">;
  /** Names of column types, where they differ. */
  readonly types: { readonly dateTime: string; readonly bytes: string };
  /** Runs a statement with the database's own library, without the connector. */
  readonly execute: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

interface Raw {
  readonly execute: (sql: string) => Promise<readonly Record<string, unknown>[]>;
  readonly close: () => Promise<void>;
}

/** Runs the same tests against SQLite, PostgreSQL and MariaDB, because all must behave in the same way. */
export async function onEveryDatabase(title: string, tests: (database: SqlDatabase) => void): Promise<void> {
  const folder = newFolder();
  describe(`${title}, on SQLite`, () => {
    const file = join(folder, "erp.db");
    const types = { dateTime: "text", bytes: "blob" };
    tests(
      group({ driver: "sqlite", types, options: () => ({ driver: "sqlite", file }), open: () => openSqlite(file) }),
    );
    afterAll(() => removeFolder(folder));
  });
  await peerGroup("postgres", `${title}, on PostgreSQL`, (address) => {
    tests(server("postgres", address, { dateTime: "timestamp", bytes: "bytea" }, openPostgres));
  });
  await peerGroup("mariadb", `${title}, on MariaDB`, (address) => {
    tests(server("mysql", address, { dateTime: "datetime(6)", bytes: "longblob" }, openMariadb));
  });
}

type Open = (address: PeerAddress, database: string) => Promise<Raw>;

function server(
  driver: "postgres" | "mysql",
  address: PeerAddress,
  types: SqlDatabase["types"],
  open: Open,
): SqlDatabase {
  const database = `test_${randomBytes(6).toString("hex")}`;
  const { host, port, user, password } = { ...address } as {
    host: string;
    port: number;
    user: string;
    password: string;
  };
  const whole = String(address["database"]);
  return group({
    driver,
    types,
    options: () => ({ driver, host, port, username: user, password, database }),
    open: async () => {
      const admin = await open(address, whole);
      await admin.execute(
        `CREATE DATABASE ${database}${driver === "mysql" ? " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin" : ""}`,
      );
      await admin.close();
      return await open(address, database);
    },
    drop: async () => {
      const admin = await open(address, whole);
      await admin.execute(`DROP DATABASE ${database}${driver === "postgres" ? " WITH (FORCE)" : ""}`);
      await admin.close();
    },
  });
}

function group(
  given: Omit<SqlDatabase, "execute"> & { open: () => Promise<Raw>; drop?: () => Promise<void> },
): SqlDatabase {
  let raw: Raw | undefined;
  beforeAll(async () => {
    raw = await given.open();
  });
  afterAll(async () => {
    await raw?.close();
    await given.drop?.();
  });
  return {
    ...given,
    execute: async (sql) => {
      if (raw === undefined) throw new Error("only within a test");
      return await raw.execute(sql);
    },
  };
}

async function openSqlite(file: string): Promise<Raw> {
  const database = openDatabase(file);
  return {
    execute: async (sql) => {
      if (!/^\s*select/i.test(sql)) database.exec(sql);
      return /^\s*select/i.test(sql) ? database.statement(sql, 0).all() : [];
    },
    close: async () => database.close(),
  };
}

async function openPostgres(address: PeerAddress, database: string): Promise<Raw> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ ...address, database });
  await client.connect();
  return { execute: async (sql) => (await client.query(sql)).rows, close: () => client.end() };
}

async function openMariadb(address: PeerAddress, database: string): Promise<Raw> {
  const mysql = await import("mysql2/promise");
  const connection = await mysql.createConnection({
    ...address,
    database,
    multipleStatements: true,
    dateStrings: true,
  });
  return {
    // A list of rows for a query. For other statements it is something else, which no test reads.
    execute: async (sql) => (await connection.query(sql))[0] as Record<string, unknown>[],
    close: () => connection.end(),
  };
}
