import { createRequire } from "node:module";
import type jsonata from "jsonata";
import type { RE2JS } from "re2js";
import { unknownFunction } from "./known-functions.ts";
import { re2Engine } from "./re2-engine.ts";

export interface Expression {
  readonly ast: jsonata.ExprNode;
  readonly evaluate: (input: unknown, variables?: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** What is wrong in the text of an expression, and where. */
export class ExpressionError extends Error {
  readonly position: { readonly line: number; readonly column: number } | undefined;

  constructor(message: string, options: { readonly position?: ExpressionError["position"]; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = "ExpressionError";
    this.position = options.position;
  }
}

const limits = { timeout: 1000, stack: 200, sequence: 10_000 };
const maxPaddedLength = 1_000;
/** No field of the platform is that long; a text that doubles itself is. */
const maxTextLength = 1 << 20;
/** What JSONata calls with the value of every part of an expression. */
const onEvaluated = Symbol.for("jsonata.__evaluate_exit");

// Loaded with the first expression: most deployments have plain paths only, and starting takes longer with these two.
const load = createRequire(import.meta.url);

/** Whether an evaluation ended because it took too long, and not because of the data it was given. */
export const isTimeOut = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "D1012";

/**
 * Compiles a JSONata expression. It reaches nothing but its input and the given functions; time, depth and lengths are
 * limited, patterns run on RE2. Throws an ExpressionError.
 */
export function expression(text: string, functions: Readonly<Record<string, ExpressionFunction>> = {}): Expression {
  // The two libraries' own types; require cannot know them.
  const compile = load("jsonata") as typeof jsonata;
  // As above.
  const { RE2JS: engine } = load("re2js") as { RE2JS: typeof RE2JS };
  const RegexEngine = re2Engine(engine);
  try {
    const compiled = compile(text, { ...limits, RegexEngine });
    const ast = compiled.ast();
    visit(ast, (pattern) => new RegexEngine(pattern));
    // The library would say at the first record that something is no function, and not what.
    const stranger = unknownFunction(ast, Object.keys(functions));
    if (stranger !== undefined) throw Object.assign(new Error(stranger.message), stranger);
    for (const [name, { run, signature }] of Object.entries({ ...functions, pad })) {
      // The signature lets no other arguments through than the function takes.
      compiled.registerFunction(name, run as (...given: unknown[]) => unknown, signature);
    }
    // The library binds whatever key it is given; its types know texts only.
    compiled.assign(onEvaluated as unknown as string, refuseLongText);
    return { ast, evaluate: (input, variables = {}) => compiled.evaluate(input, variables) };
  } catch (cause) {
    throw toError(text, cause);
  }
}

export interface ExpressionFunction {
  readonly run: (...given: never[]) => unknown;
  /** In JSONata's own notation: `<s-s?:s>`. */
  readonly signature: string;
}

/** A text of half a gigabyte is made by thirty doublings in no time, and the next function takes all memory to look at it. */
function refuseLongText(_part: unknown, _input: unknown, _environment: unknown, value: unknown): void {
  if (typeof value === "string" && value.length > maxTextLength) throw new Error("a text in it is too long");
}

/** JSONata's own makes a list as long as the width before it makes the text: one call could take all memory. */
const pad: ExpressionFunction = {
  run: (text: string | undefined, width: number, fill = " ") => {
    if (text === undefined) return undefined;
    const length = Math.min(Math.abs(Math.trunc(width)), maxPaddedLength);
    return width < 0 ? text.padStart(length, fill || " ") : text.padEnd(length, fill || " ");
  },
  signature: "<s-ns?:s>",
};

/** Tries every pattern before the first record needs it, and refuses what would get round the checks made here. */
function visit(node: unknown, onPattern: (pattern: RegExp) => void): void {
  if (node instanceof RegExp) onPattern(node);
  if (typeof node !== "object" || node === null) return;
  // An object of the parsed expression, whose members may be anything.
  const { type, value, position } = node as { type?: unknown; value?: unknown; position?: number };
  if (type === "variable" && value === "eval") {
    throw Object.assign(new Error("$eval is not available: it would run text of the data"), {
      position,
      token: "eval",
    });
  }
  for (const child of Object.values(node)) visit(child, onPattern);
}

function toError(text: string, cause: unknown): ExpressionError {
  // JSONata throws objects that are no errors; each member may be missing.
  const { message, position, token } = cause as { message?: string; position?: number; token?: unknown };
  const said = message ?? String(cause);
  if (position === undefined) return new ExpressionError(said, { cause });
  // JSONata points behind the word it stumbled over.
  const isWord = typeof token === "string" && token !== "(end)";
  const before = text.slice(0, Math.max(0, position - (isWord ? token.length : 0))).split("\n");
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return new ExpressionError(said, { position: place, cause });
}
