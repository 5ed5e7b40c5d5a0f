import type jsonata from "jsonata";
import { Fault } from "../../../sdk/fault.ts";
import { expression as compile, ExpressionError } from "../../../sdk/mapping/expression.ts";
import { type SourceName, sourceNames } from "./sources.ts";

export { isTimeOut } from "../../../sdk/mapping/expression.ts";

export interface Expression {
  readonly sources: readonly SourceName[];
  readonly evaluate: (input: Partial<Record<SourceName, unknown>>) => Promise<unknown>;
}

/** Compiles a column's JSONata expression; what is wrong in it is said at the start and not at the first export. */
export async function expression(columnKey: string, text: string): Promise<Expression> {
  try {
    const { ast, evaluate } = compile(text);
    const sources = sourcesIn(ast);
    if (sources.length === 0) throw new Error(`it reads none of ${sourceNames.join(", ")}`);
    return { sources, evaluate };
  } catch (cause) {
    const { message } = cause as Error;
    const position = cause instanceof ExpressionError ? cause.position : undefined;
    const place = position === undefined ? "" : ` (at line ${position.line}, column ${position.column})`;
    throw new Fault("broken", `export column ${columnKey}: "${text}" cannot be used: ${message}${place}`, { cause });
  }
}

/** Nodes that stand for more than they name; `$` and `$$` are variables without a name or called `$`. */
const reachesAll = ({ type, value }: { type?: unknown; value?: unknown }) =>
  type === "wildcard" || type === "descendant" || (type === "variable" && (value === "" || value === "$"));

/** The sources an expression reads. */
function sourcesIn(root: jsonata.ExprNode): SourceName[] {
  const names = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === "name") names.add(value);
    if (reachesAll({ type, value })) for (const name of sourceNames) names.add(name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(root);
  return sourceNames.filter((name) => names.has(name));
}
