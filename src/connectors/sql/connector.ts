import { defineConnector, offeredAmong } from "../../sdk/connector.ts";
import { compileOptions } from "./compile/compile-options.ts";
import type { Pool, PoolSettings } from "./drivers/database.ts";
import { openMysql } from "./drivers/mysql-driver.ts";
import { openPostgres } from "./drivers/postgres-driver.ts";
import { openSqlite } from "./drivers/sqlite-driver.ts";
import { openSqlserver } from "./drivers/sqlserver-driver.ts";
import { openSql } from "./open-sql.ts";
import { sqlOptions } from "./options.ts";
import type { DriverName } from "./statement/dialect.ts";

/** No connection yet: an adapter starts although the database is down. */
const openPool: Readonly<Record<DriverName, (settings: PoolSettings) => Promise<Pool>>> = {
  postgres: openPostgres,
  mysql: openMysql,
  sqlserver: (settings) => openSqlserver(settings),
  sqlite: openSqlite,
};

/** PostgreSQL, MySQL and MariaDB, SQL Server, SQLite. */
export const sql = defineConnector({
  type: "sql",
  summary: "Asks a database by SQL, writes events into it, and brings in what changed there.",
  options: sqlOptions,
  // How dates are meant changes what a mapping gives, not whether it is one.
  validate: (options) => compileOptions(options, { timeZone: "UTC", timeOfDay: "00:00" }).problems,
  offers: ({ operations = {}, notices, poll = [] }) => ({
    operations: offeredAmong(operations),
    takesNotices: notices !== undefined,
    bringsIn: poll.length > 0,
  }),
  open: (options, context) => openSql(options, { ...context, openPool: openPool[options.driver] }),
});
