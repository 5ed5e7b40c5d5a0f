import type { Pool, PoolSettings } from "./drivers/database.ts";
import { openMysql } from "./drivers/mysql.ts";
import { openPostgres } from "./drivers/postgres.ts";
import { openSqlite } from "./drivers/sqlite.ts";
import { openSqlserver } from "./drivers/sqlserver.ts";
import type { DriverName } from "./statement/dialect.ts";

/** No connection yet: an adapter starts although the database is down. */
export const openPool: Readonly<Record<DriverName, (settings: PoolSettings) => Promise<Pool>>> = {
  postgres: openPostgres,
  mysql: openMysql,
  sqlserver: (settings) => openSqlserver(settings),
  sqlite: openSqlite,
};
