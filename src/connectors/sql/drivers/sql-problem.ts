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
