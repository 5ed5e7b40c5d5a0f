import type { SqlValue } from "../../../kit/sqlite/sqlite.ts";

/** The jobs of a SQLite file's thread, run one after the other. */
export type SqliteJob =
  | { readonly kind: "exec"; readonly sql: string }
  | { readonly kind: "verify"; readonly sql: string }
  | { readonly kind: "run"; readonly sql: string; readonly values: readonly SqlValue[] }
  /** The next rows of the last statement. */
  | { readonly kind: "more" };

export interface SqliteDone {
  readonly columns: readonly string[];
  /** A few at a time: otherwise a long result would be in memory three times: in the thread, in transit and in the caller. */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly isMore: boolean;
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
