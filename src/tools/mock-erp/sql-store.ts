import { openDatabase } from "../../kit/sqlite/sqlite.ts";

/** The database with the ERP's tables. Parameters are written as question marks. */
export interface SqlStore {
  readonly run: (sql: string, values?: readonly SqlParameter[]) => Promise<number>;
  readonly all: (sql: string, values?: readonly SqlParameter[]) => Promise<readonly Record<string, unknown>[]>;
  /** Begins a write transaction. Returns false if another one is writing at the moment. */
  readonly begin: () => Promise<boolean>;
  readonly close: () => Promise<void>;
  /** Column types that differ between databases. */
  readonly types: { readonly counter: string; readonly bytes: string; readonly name: string };
}
export type SqlParameter = string | number | Uint8Array | null;

/** Thrown if the library is not installed, or if the address is not that of a supported database. */
export class NoSqlStore extends Error {}

/** Loads an optional library only when it is needed. */
async function loadLibrary<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw isMissing ? new NoSqlStore(`this database needs the library ${name}: npm install ${name}`) : error;
  }
}

/** Marks a database that the mock ERP may fill. */
export const markTable = "mock_erp";

/** The tables of the ERP; the adapter reads all of them and writes only `totes`, `events` and its own marks. */
export const tablesOf = ({ types: { counter, bytes, name } }: SqlStore): Readonly<Record<string, string>> => ({
  [markTable]: `started_at ${name} NOT NULL`,
  orders: `number ${name} PRIMARY KEY, customer ${name}, city ${name}, due ${name} NOT NULL, warehouse ${name}, wave ${name}, state ${name} NOT NULL, changed_at ${name} NOT NULL`,
  order_lines: `order_number ${name} NOT NULL, line int NOT NULL, item ${name} NOT NULL, qty numeric(12, 3) NOT NULL, picked int NOT NULL, is_cancelled int NOT NULL, PRIMARY KEY (order_number, line)`,
  items: `number ${name} PRIMARY KEY, name ${name}, grams int, bin ${name}, stock int NOT NULL, picture ${bytes}`,
  cancellations: `id ${counter}, order_number ${name} NOT NULL, line int, reason ${name}, changed_at ${name} NOT NULL`,
  totes: `code ${name} NOT NULL, order_number ${name} NOT NULL, CONSTRAINT tote_in_use UNIQUE (code)`,
  events: `id ${counter}, entry_id ${name} NOT NULL, what ${name} NOT NULL, order_number ${name} NOT NULL, line ${name}, item ${name}, qty int, amount decimal(18, 4), tote ${name}, place ${name}, note ${name}, booked_at ${name}, refusal ${name}`,
  crossdock_delivered: `entry_id varchar(64) PRIMARY KEY, delivered_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP`,
});

/** A file of SQLite, or `postgres://…`, or `mysql://…`. */
export async function openSqlStore(address: string): Promise<SqlStore> {
  const [, kind] = /^(postgres|postgresql|mysql|mariadb):\/\//.exec(address) ?? [];
  if (kind === undefined && address.includes("://")) {
    // The message does not repeat the address, which may contain a password.
    throw new NoSqlStore("this database is not known; there are files of SQLite, postgres:// and mysql://");
  }
  if (kind === undefined) return openSqliteStore(address);
  if (kind.startsWith("postgres")) return openPostgresStore(address);
  return openMysqlStore(address.replace(/^mariadb:/, "mysql:"));
}

function openSqliteStore(file: string): SqlStore {
  const database = openDatabase(file);
  // The adapter must be able to read while the ERP writes.
  database.exec("PRAGMA journal_mode = WAL");
  // Kept short: waiting blocks this process, and the next attempt comes soon.
  database.exec("PRAGMA busy_timeout = 20");
  return {
    run: async (sql, values = []) => database.statement(sql).run(...values).changes,
    all: async (sql, values = []) => database.statement(sql).all(...values),
    // IMMEDIATE, because a transaction that begins as a reader can no longer write after the adapter has written.
    begin: async () => {
      try {
        database.exec("BEGIN IMMEDIATE");
        return true;
      } catch (error) {
        if (error instanceof Error && error.message.includes("locked")) return false;
        throw error;
      }
    },
    close: async () => database.close(),
    types: { counter: "INTEGER PRIMARY KEY AUTOINCREMENT", bytes: "BLOB", name: "TEXT" },
  };
}

async function openPostgresStore(address: string): Promise<SqlStore> {
  const { default: pg } = await loadLibrary("pg", () => import("pg"));
  const client = new pg.Client({ connectionString: address, application_name: "crossdock mock-erp" });
  // Without a listener a broken connection would end the process; the next statement reports it anyway.
  client.on("error", () => {});
  await client.connect();
  const query = (sql: string, values: readonly unknown[]) => {
    let index = 0;
    return client.query(
      sql.replace(/\?/g, () => `$${++index}`),
      [...values],
    );
  };
  return {
    run: async (sql, values = []) => (await query(sql, values)).rowCount ?? 0,
    all: async (sql, values = []) => (await query(sql, values)).rows,
    begin: async () => {
      await client.query("BEGIN");
      return true;
    },
    close: () => client.end(),
    types: { counter: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", bytes: "bytea", name: "varchar(200)" },
  };
}

async function openMysqlStore(address: string): Promise<SqlStore> {
  const mysql = await loadLibrary("mysql2", () => import("mysql2/promise"));
  const connection = await mysql.createConnection({ uri: address, dateStrings: true });
  connection.on("error", () => {});
  return {
    run: async (sql, values = []) => {
      const [result] = await connection.query(sql, [...values].map(bound));
      return "affectedRows" in result ? result.affectedRows : 0;
    },
    // The statements used here always return a list of rows.
    all: async (sql, values = []) =>
      (await connection.query(sql, [...values].map(bound)))[0] as Record<string, unknown>[],
    begin: async () => {
      await connection.beginTransaction();
      return true;
    },
    close: () => connection.end(),
    types: { counter: "bigint AUTO_INCREMENT PRIMARY KEY", bytes: "longblob", name: "varchar(200)" },
  };
}

const bound = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : value);
