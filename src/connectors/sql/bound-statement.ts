import type { Compiling, OptionProblem } from "./compiling.ts";
import type { ReadyStatement } from "./drivers/in-transaction.ts";
import { boundValue } from "./statement/bound-value.ts";
import { compileStatement } from "./statement/compile-statement.ts";
import { resolvePath, type Scope } from "./statement/parameter-scope.ts";
import { readPath } from "./statement/read-path.ts";
import { StatementError } from "./statement/statement-error.ts";

/** A statement that knows where each of its values comes from. */
export interface BoundStatement {
  readonly bind: (given: Given) => ReadyStatement;
  /** First names of its parameters, in their documented spelling. */
  readonly uses: ReadonlySet<string>;
  readonly text: string;
}

/** What comes in with a call, by name. */
export type Given = Readonly<Record<string, unknown>>;

/** Compiles one statement; a parameter that nothing feeds is a mistake of the configuration. */
export function boundStatement(
  sql: string,
  scope: Scope,
  path: OptionProblem["path"],
  { dialect, problems }: Compiling,
): BoundStatement {
  try {
    const { text, names } = compileStatement(sql, dialect);
    const paths = names.map((name) => {
      const found = resolvePath(name, scope);
      if ("path" in found) return found.path;
      problems.push({ path, text: `:${name}: ${found.problem}` });
      return [];
    });
    const takesLists = dialect.name === "postgres";
    return {
      text,
      uses: new Set(paths.map(([first = ""]) => first)),
      bind: (given) => ({ text, values: paths.map((one) => boundValue(readPath(given, one), takesLists)) }),
    };
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    problems.push({ path, text: error.message });
    return { text: sql, uses: new Set(), bind: () => ({ text: sql, values: [] }) };
  }
}
