/** The database with the ERP's tables; parameters are written as question marks. */
export interface SqlStore {
  readonly run: (sql: string, values?: readonly SqlParameter[]) => Promise<number>;
  readonly all: (sql: string, values?: readonly SqlParameter[]) => Promise<readonly Record<string, unknown>[]>;
  /** Begins a write transaction; false if another one is writing at the moment. */
  readonly begin: () => Promise<boolean>;
  readonly close: () => Promise<void>;
  /** Column types that differ between databases. */
  readonly types: { readonly counter: string; readonly bytes: string; readonly name: string };
}
export type SqlParameter = string | number | Uint8Array | null;

/** The library is not installed, or the address is not that of a supported database. */
export class NoSqlStore extends Error {}

/** Loads an optional library only when it is needed. */
export async function loadLibrary<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
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
  events: `id ${counter}, entry_id ${name} NOT NULL, what ${name} NOT NULL, order_number ${name} NOT NULL, line ${name}, item ${name}, qty int, tote ${name}, place ${name}, note ${name}, booked_at ${name}, refusal ${name}`,
  crossdock_delivered: `entry_id varchar(64) PRIMARY KEY, delivered_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP`,
});
