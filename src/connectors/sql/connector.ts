import { defineConnector, derivedOffer, offeredAmong } from "../../sdk/connector.ts";
import { compileOptions } from "./compile/compile-options.ts";
import type { Pool, PoolSettings } from "./drivers/database.ts";
import { openMysql } from "./drivers/mysql-driver.ts";
import { openPostgres } from "./drivers/postgres-driver.ts";
import { openSqlite } from "./drivers/sqlite-driver.ts";
import { openSqlserver } from "./drivers/sqlserver-driver.ts";
import { openSql } from "./open-sql.ts";
import { sqlOptions } from "./options.ts";
import type { DriverName } from "./statement/dialect.ts";

/** Opens no connection yet: the adapter must start even if the database is down. */
const openPool: Readonly<Record<DriverName, (settings: PoolSettings) => Promise<Pool>>> = {
  postgres: openPostgres,
  mysql: openMysql,
  sqlserver: (settings) => openSqlserver(settings),
  sqlite: openSqlite,
};

/** PostgreSQL, MySQL and MariaDB, SQL Server, SQLite. */
export const sql = defineConnector({
  type: "sql",
  summary: "Queries a database by SQL, writes events to it, and polls it for changes.",
  options: sqlOptions,
  // Date settings change the values of a mapping, not its validity.
  validate: (options) => compileOptions(options, { timeZone: "UTC", timeOfDay: "00:00" }).problems,
  offers: ({ operations = {}, notices, poll = [] }) => ({
    operations: offeredAmong(operations),
    takesNotices: notices !== undefined,
    bringsIn: poll.length > 0,
    ...derivedOffer(operations),
  }),
  open: (options, context) => openSql(options, { ...context, openPool: openPool[options.driver] }),
});
