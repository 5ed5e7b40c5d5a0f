import { Fault } from "../../../operation/fault.ts";
import type { BoundValue } from "../statement/dialect.ts";
import type { SqlProblem } from "./errors/sql-problem.ts";
import type { RowCollector } from "./row-collector.ts";

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
