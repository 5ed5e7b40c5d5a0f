import type { DriverName } from "./statement/dialect.ts";

/** What a database administrator runs once; also what is run where the configuration allows it. */
export function deliveredTableText(driver: DriverName, table: string): string {
  switch (driver) {
    case "postgres":
      return `CREATE TABLE IF NOT EXISTS ${table} (entry_id varchar(64) PRIMARY KEY, delivered_at timestamptz NOT NULL DEFAULT now())`;
    case "mysql":
      return `CREATE TABLE IF NOT EXISTS ${table} (entry_id varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, delivered_at datetime NOT NULL DEFAULT CURRENT_TIMESTAMP) ENGINE = InnoDB`;
    case "sqlserver":
      return `IF OBJECT_ID('${table}') IS NULL CREATE TABLE ${table} (entry_id varchar(64) NOT NULL PRIMARY KEY, delivered_at datetime2 NOT NULL DEFAULT SYSUTCDATETIME())`;
    case "sqlite":
      return `CREATE TABLE IF NOT EXISTS ${table} (entry_id TEXT NOT NULL PRIMARY KEY, delivered_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)`;
  }
}

export const insertDelivered = (table: string): string => `INSERT INTO ${table} (entry_id) VALUES (:entryId)`;
export const selectDelivered = (table: string): string => `SELECT entry_id FROM ${table} WHERE entry_id = ''`;
