import type { Dialect } from "./dialect.ts";

/** A configured statement that cannot be valid; the text says where. */
export class StatementError extends Error {
  constructor(reason: string, sql: string, at: number) {
    const before = sql.slice(0, at).split("\n");
    const column = (before.at(-1) ?? "").length + 1;
    super(before.length === 1 ? `${reason} (column ${column})` : `${reason} (line ${before.length}, column ${column})`);
    this.name = "StatementError";
  }
}

/** A statement in the driver's form, and which values it needs in which order. */
export interface CompiledStatement {
  readonly text: string;
  /** Names of the parameters by position. */
  readonly names: readonly string[];
}

/** Replaces `:name` by the database's placeholder. Values are passed separately, never inside the statement. */
export function compileStatement(sql: string, dialect: Dialect): CompiledStatement {
  const names: string[] = [];
  const text = findParameters(sql, dialect)
    .map((piece) => {
      if ("text" in piece) return piece.text;
      const known = dialect.reusesPlaceholders ? names.indexOf(piece.name) : -1;
      return dialect.placeholder(known >= 0 ? known + 1 : names.push(piece.name));
    })
    .join("");
  // Some databases refuse the closing semicolon of a prepared statement.
  return { text: dialect.takesBatches ? text : text.replace(/;\s*$/, ""), names };
}

/** A piece of SQL that stays unchanged, or the name of a parameter. */
type Piece = { readonly text: string } | { readonly name: string };

const parameter = /:([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const lineEnd = /[\r\n]/g;

/**
 * Splits a statement at its parameters. Strings, quoted names and comments are skipped: a colon there is not a
 * parameter. Values never enter the statement, so a mistake here can break a statement but not allow an injection.
 */
function findParameters(sql: string, dialect: Dialect): Piece[] {
  const pieces: Piece[] = [];
  let begin = 0;
  let at = 0;
  let ended = false;
  while (at < sql.length) {
    const skipped = endOfQuoted(sql, at, dialect);
    if (skipped !== null) {
      if (ended && !isComment(sql, at, dialect)) throw oneOnly(sql, at);
      at = skipped;
      continue;
    }
    const character = sql[at] ?? "";
    if (character === ";" && !dialect.takesBatches) ended = true;
    else if (ended && !/\s/.test(character)) throw oneOnly(sql, at);
    if (matchAt(dialect.ownPlaceholder, sql, at) !== null && !isWordPart(sql[at - 1])) {
      throw new StatementError("write parameters as :name; the database's own placeholders are not filled", sql, at);
    }
    if (character !== ":") {
      at++;
      continue;
    }
    // Two colons are a cast; a colon with an equals sign is an assignment.
    if (sql[at + 1] === ":") at += 2;
    else {
      const name = matchAt(parameter, sql, at)?.[1];
      if (name === undefined || isWordPart(sql[at - 1])) at++;
      else {
        if (at > begin) pieces.push({ text: sql.slice(begin, at) });
        pieces.push({ name });
        at += name.length + 1;
        begin = at;
      }
    }
  }
  if (begin < sql.length) pieces.push({ text: sql.slice(begin) });
  return pieces;
}

const isWordPart = (character: string | undefined) => character !== undefined && /[\w$]/.test(character);
const oneOnly = (sql: string, at: number) =>
  new StatementError("only one statement is allowed; write the next one as a separate element", sql, at);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const isComment = (sql: string, at: number, { hashComments }: Dialect) =>
  sql.startsWith("--", at) || sql.startsWith("/*", at) || (hashComments && sql[at] === "#");

/** Where the string, quoted name or comment that starts here ends; null if none starts. */
function endOfQuoted(sql: string, at: number, dialect: Dialect): number | null {
  switch (sql[at]) {
    case "'":
      return endOfQuotes(sql, at, "'", dialect.backslashEscapes || isEscapeString(sql, at, dialect));
    case '"':
      return endOfQuotes(sql, at, '"', dialect.backslashEscapes);
    case "`":
      return dialect.name === "mysql" || dialect.name === "sqlite" ? endOfQuotes(sql, at, "`", false) : null;
    case "[":
      return dialect.bracketNames ? endOfQuotes(sql, at, "]", false) : null;
    case "#":
      return dialect.hashComments ? endOfLine(sql, at) : null;
    case "-":
      return sql[at + 1] === "-" ? endOfLine(sql, at) : null;
    case "/":
      return sql[at + 1] === "*" ? endOfComment(sql, at, dialect) : null;
    case "$":
      return dialect.dollarQuotes ? endOfDollarQuote(sql, at) : null;
    default:
      return null;
  }
}

/** `E'…'` of PostgreSQL: a backslash before a quote keeps the string open. */
const isEscapeString = (sql: string, at: number, { dollarQuotes }: Dialect) =>
  dollarQuotes && /e/i.test(sql[at - 1] ?? "") && !isWordPart(sql[at - 2]);

function endOfQuotes(sql: string, at: number, close: string, backslash: boolean): number {
  for (let next = at + 1; next < sql.length; next++) {
    if (backslash && sql[next] === "\\") next++;
    else if (sql[next] === close) {
      // A doubled quote stands for itself.
      if (sql[next + 1] !== close) return next + 1;
      next++;
    }
  }
  throw new StatementError(`the ${sql[at]} here is never closed`, sql, at);
}

function endOfLine(sql: string, at: number): number {
  lineEnd.lastIndex = at;
  return lineEnd.exec(sql)?.index ?? sql.length;
}

function endOfComment(sql: string, at: number, { nestsComments }: Dialect): number {
  let depth = 0;
  for (let next = at; next < sql.length; next++) {
    if (sql.startsWith("/*", next) && (depth === 0 || nestsComments)) {
      depth++;
      next++;
    } else if (sql.startsWith("*/", next)) {
      depth--;
      next++;
      if (depth === 0) return next + 1;
    }
  }
  throw new StatementError("the comment is never closed", sql, at);
}

function endOfDollarQuote(sql: string, at: number): number | null {
  // `a$1$b` is a name: a dollar quote cannot start inside a word.
  const tag = isWordPart(sql[at - 1]) ? undefined : matchAt(dollarTag, sql, at)?.[0];
  if (tag === undefined) return null;
  const end = sql.indexOf(tag, at + tag.length);
  if (end < 0) throw new StatementError(`the ${tag} here is never closed`, sql, at);
  return end + tag.length;
}
