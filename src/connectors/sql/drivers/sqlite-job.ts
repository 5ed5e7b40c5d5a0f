import type { SqlValue } from "../../../kit/sqlite/sqlite.ts";

/** What the thread of a SQLite file is asked to do, one after the other. */
export type SqliteJob =
  | { readonly kind: "exec"; readonly sql: string }
  | { readonly kind: "verify"; readonly sql: string }
  | { readonly kind: "run"; readonly sql: string; readonly values: readonly SqlValue[] }
  /** The next rows of the statement that was run last. */
  | { readonly kind: "more" };

export interface SqliteDone {
  readonly columns: readonly string[];
  /** A few of them: a long result would otherwise be in memory three times, here, on the way and there. */
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
