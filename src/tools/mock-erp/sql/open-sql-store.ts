import { NoSqlStore, type SqlStore } from "./sql-store.ts";

/** A file of SQLite, or `postgres://…`, or `mysql://…`. */
export async function openSqlStore(address: string): Promise<SqlStore> {
  const [, kind] = /^(postgres|postgresql|mysql|mariadb):\/\//.exec(address) ?? [];
  if (kind === undefined && address.includes("://")) {
    // Not repeated in the message: the address may contain a password.
    throw new NoSqlStore("this database is not known; there are files of SQLite, postgres:// and mysql://");
  }
  if (kind === undefined) return (await import("./sqlite-store.ts")).openSqliteStore(address);
  if (kind.startsWith("postgres")) return (await import("./postgres-store.ts")).openPostgresStore(address);
  return (await import("./mysql-store.ts")).openMysqlStore(address.replace(/^mariadb:/, "mysql:"));
}
