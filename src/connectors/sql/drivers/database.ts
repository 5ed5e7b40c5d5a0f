import { Fault } from "../../../operation/fault.ts";
import type { BoundValue } from "../statement/dialect.ts";
import type { SqlProblem } from "./errors/sql-problem.ts";

/** `read` changes nothing: a read-only transaction if the database supports it, and never committed. */
export type Access = "read" | "write";

/** One connection, borrowed from a pool for one transaction. */
export interface Connection {
  readonly begin: (access: Access) => Promise<void>;
  /** Passes every row to the collector; resolves to the number of changed rows. */
  readonly run: (text: string, values: readonly BoundValue[], rows: RowCollector) => Promise<number>;
  /** Lets the database parse the statement without running it, if it can. */
  readonly verify: (text: string) => Promise<void>;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  /** Returns the connection to the pool; a broken connection is closed instead, whatever it is doing. */
  readonly release: (isBroken: boolean) => void;
}

export interface Pool {
  readonly acquire: (access: Access) => Promise<Connection>;
  readonly explain: (error: unknown) => SqlProblem;
  readonly close: () => Promise<void>;
}

/** Where the database is, and the time limits; the names are those of the options. */
export interface PoolSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly login: Login;
  /** The login for queries; the same as the other if none is configured. */
  readonly readLogin: Login;
  readonly tls: TlsSettings | false;
  readonly file: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverName?: string;
  /** False accepts any certificate: the connection is encrypted, but the server is not verified. */
  readonly verify: boolean;
}

/** Optional libraries are loaded only when a connector that needs them is opened. */
export async function loadDriver<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw new Fault("invalid", `this database needs the library ${name}: npm install ${name}`, { cause: error });
  }
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** Converts a value of the driver to a value for the mapping. */
  readonly read?: ((value: unknown) => unknown) | undefined;
}

export interface RowLimit {
  readonly maxRows: number;
  /** What happens beyond the limit: a fault, or the result is cut (for previews). */
  readonly onMore: "fault" | "cut";
}

/**
 * Takes rows as lists of values, names the columns and enforces the limit: a statement without WHERE must not fill the
 * memory.
 */
export class RowCollector {
  readonly limit: RowLimit;
  /** Whether rows were left out. */
  isCut = false;
  #size = 0;
  #columns: readonly Column[] = [];
  #blank: Record<string, unknown> = {};

  readonly #take: (row: Row) => void;
  #count = 0;

  constructor(limit: RowLimit, take: (row: Row) => void) {
    this.limit = limit;
    this.#take = take;
  }

  columns(columns: readonly Column[]): void {
    const names = columns.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined || names.includes("__proto__")) {
      throw new Fault(
        "broken",
        `the statement returns two columns named ${twice ?? "__proto__"}: one would hide the other; rename one with AS`,
      );
    }
    this.#columns = columns;
    this.#blank = Object.fromEntries(names.map((name) => [name, null]));
  }

  /** False if no more rows are wanted. */
  add(values: readonly unknown[]): boolean {
    for (const value of values) this.#size += sizeOf(value);
    if (this.#count >= this.limit.maxRows || this.#size > largestResult) {
      this.isCut = true;
      return false;
    }
    // A copy keeps one object shape; adding the members one by one would change the shape each time.
    const row = { ...this.#blank };
    for (let index = 0; index < this.#columns.length; index++) {
      const column = this.#columns[index];
      if (column === undefined) continue;
      const value = values[index] ?? null;
      const read = value === null || column.read === undefined ? value : column.read(value);
      // JSON has no bytes; the contract uses Base64 for them.
      row[column.name] = read instanceof Uint8Array ? base64(read) : read;
    }
    this.#count++;
    this.#take(row);
    return true;
  }
}

/**
 * Limit of one statement's result, in characters and bytes: a few rows with images can be large long before the row
 * limit.
 */
export const largestResult = 256 * 2 ** 20;

/** The approximate size of a value; a number counts as one. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value instanceof Uint8Array ? value.byteLength : 1;
}
