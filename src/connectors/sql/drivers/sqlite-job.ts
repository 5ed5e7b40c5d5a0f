import type { SqlValue } from "../../../kit/sqlite.ts";

/** What the thread of a SQLite file is asked to do, one after the other. */
export type SqliteJob =
  | { readonly kind: "exec"; readonly sql: string }
  | { readonly kind: "verify"; readonly sql: string }
  | { readonly kind: "run"; readonly sql: string; readonly values: readonly SqlValue[]; readonly maxRows: number };

export interface SqliteDone {
  readonly columns: readonly string[];
  /** One more than asked for at most, as the sign that there were more. */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly affected: number;
}

export interface SqliteFailure {
  readonly message: string;
  readonly resultCode: number;
}

export type SqliteReply = { readonly done: SqliteDone } | { readonly failure: SqliteFailure };

export interface SqliteFile {
  readonly file: string;
  readonly readOnly: boolean;
}
