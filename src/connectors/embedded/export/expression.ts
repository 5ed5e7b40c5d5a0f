import type jsonata from "jsonata";
import { Fault } from "../../../sdk/fault.ts";
import { type SourceName, sourceNames } from "./sources.ts";

export interface Expression {
  readonly sources: readonly SourceName[];
  readonly evaluate: (input: Partial<Record<SourceName, unknown>>) => Promise<unknown>;
}

const limits = { timeout: 1000, stack: 200, sequence: 10_000 };

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
    const words = wordsIn(compiled.ast(), (pattern) => new RegexEngine(pattern));
    const sources = sourceNames.filter((name) => words.has(name));
    if (sources.length === 0) throw new Error(`it reads none of ${sourceNames.join(", ")}`);
    return { sources, evaluate: (input) => compiled.evaluate(input) };
  } catch (cause) {
    const { message, position } = cause as { message: string; position?: number };
    const place = position === undefined ? "" : ` (at character ${position})`;
    throw new Fault("broken", `export column ${columnKey}: "${text}" cannot be used: ${message}${place}`, { cause });
  }
}

/** All names an expression uses; patterns are handed out on the way, to be tried before the first row needs them. */
function wordsIn(root: jsonata.ExprNode, onPattern: (pattern: RegExp) => void): Set<unknown> {
  const words = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (node instanceof RegExp) onPattern(node);
    else if (typeof node === "object" && node !== null) for (const child of Object.values(node)) visit(child);
    else words.add(node);
  };
  visit(root);
  return words;
}
