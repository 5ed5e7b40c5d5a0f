/** What a database said, sorted by what it means for the call. */
export interface SqlProblem {
  readonly kind: /** No connection, no login, a server in trouble: nobody's statement is to blame. */
    | "unreachable"
    | "timeout"
    /** Another transaction is in the way, or the server cannot do this one now: a later try may well succeed. */
    | "busy"
    /** Nothing may be written: after a failover it is the server's state, in a question the statement's mistake. */
    | "readOnly"
    /** A unique key has this value already. */
    | "duplicate"
    | "constraint"
    /** A value does not fit its column. */
    | "data"
    /** A value can be no value of its column at all, such as letters where numbers are: nothing equals it. */
    | "unfit"
    /** The database's own code said no, with words for a person. */
    | "raised"
    /** The statement itself is wrong, or not allowed. */
    | "statement"
    | "unknown";
  readonly code: string;
  readonly sqlState: string;
  readonly constraint: string;
  /** The database's own words. */
  readonly text: string;
}

const isSystemCode = (code: string) => /^E[A-Z]{3,}/.test(code);

/** Errors of the network come from below every driver and look alike. */
export function networkProblem(error: unknown): SqlProblem | null {
  if (!(error instanceof Error)) return null;
  const code = textMember(error, "code");
  if (error instanceof AggregateError || isSystemCode(code) || /\b(tls|ssl|certificate)\b/i.test(error.message)) {
    return { kind: "unreachable", code, sqlState: "", constraint: "", text: wordsOf(error) };
  }
  return null;
}

export function wordsOf(error: unknown): string {
  // Several addresses were tried; the error over them says nothing itself.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

export function textMember(error: object, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Kind → code of the database → its name in the vendor's documentation. */
export type ErrorTable = { readonly [Kind in SqlProblem["kind"]]?: Readonly<Record<string, string>> };

/** Finds the kind of a code. A code that stands in no table is unknown, and so a refusal of this one event. */
export function kindFinder(table: ErrorTable): (code: string) => SqlProblem["kind"] | undefined {
  const kinds = new Map<string, SqlProblem["kind"]>();
  for (const [kind, codes] of Object.entries(table)) {
    // The keys are those of the table's type, which Object.entries forgets.
    for (const code of Object.keys(codes)) kinds.set(code, kind as SqlProblem["kind"]);
  }
  return (code) => kinds.get(code);
}

/** Classes of the SQL standard and of PostgreSQL, by their first two letters: appendix A of its documentation. */
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

/** States that mean something else than their class. */
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

/** By the five letters that the SQL standard gives to errors. */
export const kindOfState = (sqlState: string): SqlProblem["kind"] =>
  ofState(sqlState) ?? ofClass(sqlState.slice(0, 2)) ?? "unknown";
