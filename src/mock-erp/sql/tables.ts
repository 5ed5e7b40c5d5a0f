import type { SqlStore } from "./sql-store.ts";

/** By this table a database is known as one that the stand-in may fill. */
export const markTable = "mock_erp";

/** The tables of the ERP; the adapter reads all but writes only into `totes`, `events` and its own marks. */
export const tablesOf = ({ types: { counter, bytes, name } }: SqlStore): Readonly<Record<string, string>> => ({
  [markTable]: `started_at ${name} NOT NULL`,
  orders: `number ${name} PRIMARY KEY, customer ${name}, city ${name}, due ${name} NOT NULL, warehouse ${name}, wave ${name}, state ${name} NOT NULL, changed_at ${name} NOT NULL`,
  order_lines: `order_number ${name} NOT NULL, line int NOT NULL, item ${name} NOT NULL, qty numeric(12, 3) NOT NULL, picked int NOT NULL, is_cancelled int NOT NULL, PRIMARY KEY (order_number, line)`,
  items: `number ${name} PRIMARY KEY, name ${name}, grams int, bin ${name}, stock int NOT NULL, picture ${bytes}`,
  cancellations: `id ${counter}, order_number ${name} NOT NULL, line int, reason ${name}, changed_at ${name} NOT NULL`,
  totes: `code ${name} NOT NULL, order_number ${name} NOT NULL, CONSTRAINT tote_in_use UNIQUE (code)`,
  events: `id ${counter}, entry_id ${name} NOT NULL, what ${name} NOT NULL, order_number ${name} NOT NULL, line ${name}, item ${name}, qty int, tote ${name}, place ${name}, note ${name}, booked_at ${name}, refusal ${name}`,
  crossdock_delivered: `entry_id varchar(64) PRIMARY KEY, delivered_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP`,
});
