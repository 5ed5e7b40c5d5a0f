import type { Dialect } from "./dialect.ts";
import { findParameters } from "./find-parameters.ts";

/** A statement as the driver takes it, and which values it wants in which order. */
export interface CompiledStatement {
  readonly text: string;
  /** Names of the parameters by position. */
  readonly names: readonly string[];
}

/** Rewrites `:name` to what the database takes; the values travel beside the statement, never in it. */
export function compileStatement(sql: string, dialect: Dialect): CompiledStatement {
  const names: string[] = [];
  const text = findParameters(sql, dialect)
    .map((piece) => {
      if ("text" in piece) return piece.text;
      const known = dialect.reusesPlaceholders ? names.indexOf(piece.name) : -1;
      return dialect.placeholder(known >= 0 ? known + 1 : names.push(piece.name));
    })
    .join("");
  // Some databases refuse the closing semicolon once the statement is prepared.
  return { text: dialect.takesBatches ? text : text.replace(/;\s*$/, ""), names };
}
