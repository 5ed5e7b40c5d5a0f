/** A database error, classified by its meaning for the call. */
export interface SqlProblem {
  readonly kind: /** No connection, no login, or a failing server: the statement is not the cause. */
    | "unreachable"
    | "timeout"
    /** A conflict with another transaction, or a temporary lack of resources: a retry may succeed. */
    | "busy"
    /**
     * The database is read-only. For an event that is a state of the server, such as after a failover; for a query it
     * is a mistake.
     */
    | "readOnly"
    /** A unique key already has this value. */
    | "duplicate"
    | "constraint"
    /** A value does not fit its column. */
    | "data"
    /** A value of the wrong type for its column, such as letters for a number: no row can match it. */
    | "unfit"
    /** The database's own code refused, with a text for a person. */
    | "raised"
    /** The statement is wrong, or not allowed. */
    | "statement"
    | "unknown";
  readonly code: string;
  readonly sqlState: string;
  readonly constraint: string;
  /** The database's error text. */
  readonly text: string;
}

const isSystemCode = (code: string) => /^E[A-Z]{3,}/.test(code);

/** Network errors come from below the drivers and look the same for all of them. */
export function networkProblem(error: unknown): SqlProblem | null {
  if (!(error instanceof Error)) return null;
  const code = textMember(error, "code");
  if (error instanceof AggregateError || isSystemCode(code) || /\b(tls|ssl|certificate)\b/i.test(error.message)) {
    return { kind: "unreachable", code, sqlState: "", constraint: "", text: wordsOf(error) };
  }
  return null;
}

export function wordsOf(error: unknown): string {
  // Several addresses were tried; the outer error has no details of its own.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

export function textMember(error: object, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Kind → code of the database → its name in the vendor's documentation. */
export type ErrorTable = { readonly [Kind in SqlProblem["kind"]]?: Readonly<Record<string, string>> };

/** Finds the kind of a code. A code in no table is unknown, and therefore rejects only this event. */
export function kindFinder(table: ErrorTable): (code: string) => SqlProblem["kind"] | undefined {
  const kinds = new Map<string, SqlProblem["kind"]>();
  for (const [kind, codes] of Object.entries(table)) {
    // Object.entries forgets that the keys are those of the table's type.
    for (const code of Object.keys(codes)) kinds.set(code, kind as SqlProblem["kind"]);
  }
  return (code) => kinds.get(code);
}

/** Classes of the SQL standard and of PostgreSQL, by their first two characters: appendix A of its documentation. */
export const stateClasses: ErrorTable = {
  unreachable: {
    "08": "connection exception",
    "28": "invalid authorization specification",
    "3D": "invalid catalog name",
    "53": "insufficient resources: disk full, out of memory, too many connections",
    "57": "operator intervention: shutdown, crash, cannot connect now",
    "58": "system error outside of the database: read or write failed",
    F0: "configuration file error",
  },
  busy: {
    "40": "transaction rollback: serialization failure, deadlock",
    "55": "object not in prerequisite state: in use, lock not given",
    "72": "snapshot failure",
    XX: "internal error: also damaged data",
  },
  statement: {
    "07": "dynamic SQL error",
    "0A": "feature not supported",
    "24": "invalid cursor state",
    "25": "invalid transaction state",
    "26": "invalid SQL statement name",
    "34": "invalid cursor name",
    "3F": "invalid schema name",
    "42": "syntax error or access rule violation",
    HV: "foreign data wrapper error",
  },
  data: {
    "21": "cardinality violation",
    "22": "data exception",
    "54": "program limit exceeded: a row or key too large",
  },
  constraint: { "23": "integrity constraint violation", "27": "triggered data change", "44": "WITH CHECK OPTION" },
  raised: { "45": "unhandled user-defined exception", P0: "PL/pgSQL error" },
};

/** States whose meaning differs from their class. */
export const states: ErrorTable = {
  unreachable: {
    "25P03": "idle_in_transaction_session_timeout",
    "25P04": "transaction_timeout",
    "40003": "statement_completion_unknown",
    "70100": "query was killed",
    HV00N: "fdw_unable_to_establish_connection",
  },
  readOnly: { "25006": "read_only_sql_transaction" },
  timeout: { "57014": "query_canceled" },
  duplicate: { "23505": "unique_violation" },
  constraint: { "40002": "transaction_integrity_constraint_violation" },
  unfit: {
    "22003": "numeric_value_out_of_range",
    "22021": "character_not_in_repertoire",
    "22P02": "invalid_text_representation",
    "22P05": "untranslatable_character",
  },
  statement: { "55P02": "cant_change_runtime_param", "55P04": "unsafe_new_enum_value_usage" },
};

const ofState = kindFinder(states);
const ofClass = kindFinder(stateClasses);

/** Classifies by the five-character SQLSTATE of the SQL standard. */
export const kindOfState = (sqlState: string): SqlProblem["kind"] =>
  ofState(sqlState) ?? ofClass(sqlState.slice(0, 2)) ?? "unknown";
