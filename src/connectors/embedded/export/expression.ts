import type jsonata from "jsonata";
import { Fault } from "../../../sdk/fault.ts";
import { type SourceName, sourceNames } from "./sources.ts";

export interface Expression {
  readonly sources: readonly SourceName[];
  readonly evaluate: (input: Partial<Record<SourceName, unknown>>) => Promise<unknown>;
}

const limits = { timeout: 1000, stack: 200, sequence: 10_000 };

/** Whether an evaluation ended because it took too long, and not because of the data of its row. */
export const isTimeOut = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "D1012";

/** Compiles a column's JSONata expression; what is wrong in it is said at the start and not at the first export. */
export async function expression(columnKey: string, text: string): Promise<Expression> {
  // Loaded here and not above: most deployments have plain paths only, and starting takes longer with it.
  const [{ default: compile }, { RE2JS }, { re2Engine }] = await Promise.all([
    import("jsonata"),
    import("re2js"),
    import("./re2-engine.ts"),
  ]);
  const RegexEngine = re2Engine(RE2JS);
  try {
    const compiled = compile(text, { ...limits, RegexEngine });
    const sources = sourcesIn(compiled.ast(), (pattern) => new RegexEngine(pattern));
    if (sources.length === 0) throw new Error(`it reads none of ${sourceNames.join(", ")}`);
    return { sources, evaluate: (input) => compiled.evaluate(input) };
  } catch (cause) {
    const { message, position } = cause as { message: string; position?: number };
    const place = position === undefined ? "" : ` (at character ${position})`;
    throw new Fault("broken", `export column ${columnKey}: "${text}" cannot be used: ${message}${place}`, { cause });
  }
}

/** Nodes that stand for more than they name; `$` and `$$` are variables without a name or called `$`. */
const reachesAll = ({ type, value }: { type?: unknown; value?: unknown }) =>
  type === "wildcard" || type === "descendant" || (type === "variable" && (value === "" || value === "$"));

/** The sources an expression reads; patterns are handed out on the way, to be tried before the first row needs them. */
function sourcesIn(root: jsonata.ExprNode, onPattern: (pattern: RegExp) => void): SourceName[] {
  const names = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (node instanceof RegExp) onPattern(node);
    if (typeof node !== "object" || node === null) return;
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === "name") names.add(value);
    if (reachesAll({ type, value })) for (const name of sourceNames) names.add(name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(root);
  return sourceNames.filter((name) => names.has(name));
}
