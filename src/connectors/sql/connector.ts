import { defineConnector } from "../../sdk/connector.ts";
import { offeredAmong } from "../../sdk/offer.ts";
import { compileOptions } from "./compile-options.ts";
import { openPool } from "./open-pool.ts";
import { openSql } from "./open-sql.ts";
import { sqlOptions } from "./options.ts";

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
