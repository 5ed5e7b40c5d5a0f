/** What a database said, sorted by what it means for the call. */
export interface SqlProblem {
  readonly kind: /** No connection, no login, a server in trouble: nobody's statement is to blame. */
    | "unreachable"
    | "timeout"
    /** Two got in each other's way; the next try may well succeed. */
    | "passing"
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

const kindByClass: Readonly<Record<string, SqlProblem["kind"]>> = {
  "08": "unreachable",
  "0A": "statement",
  "22": "data",
  "23": "constraint",
  "25": "statement",
  "26": "statement",
  "28": "unreachable",
  "34": "statement",
  "3D": "unreachable",
  "3F": "statement",
  "40": "passing",
  "42": "statement",
  "44": "constraint",
  "53": "unreachable",
  "54": "statement",
  "57": "unreachable",
  "58": "unreachable",
  XX: "unreachable",
};

const kindByState: Readonly<Record<string, SqlProblem["kind"]>> = {
  "22003": "unfit",
  "22021": "unfit",
  "22P02": "unfit",
  "22P05": "unfit",
  "23505": "duplicate",
  "45000": "raised",
  P0001: "raised",
  "55P03": "passing",
  "57014": "timeout",
};

/** By the five letters that the SQL standard gives to errors. */
export const kindOfState = (sqlState: string): SqlProblem["kind"] =>
  kindByState[sqlState] ?? kindByClass[sqlState.slice(0, 2)] ?? "unknown";

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
