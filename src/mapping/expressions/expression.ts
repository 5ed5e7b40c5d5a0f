import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import type jsonata from "jsonata";
import type { RE2JS } from "re2js";
import { nearestName } from "../../kit/nearest-name.ts";
import { type ExpressionFunction, replaced } from "./replaced-functions.ts";

export interface Expression {
  readonly ast: jsonata.ExprNode;
  readonly evaluate: (input: unknown, variables?: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** A problem in the text of an expression, and its place. */
export class ExpressionError extends Error {
  readonly position: { readonly line: number; readonly column: number } | undefined;

  constructor(message: string, options: { readonly position?: ExpressionError["position"]; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = "ExpressionError";
    this.position = options.position;
  }
}

/** The library's own limit counts elapsed time, including everything else that a busy machine does meanwhile. */
const limits = { timeout: 30_000, stack: 200, sequence: 10_000 };
/**
 * Limit of this thread's processor time: on a busy machine, an event must not fail because others used the processor.
 */
const mostProcessorMs = 1_000;
/** After this long, an evaluation lets other work of this thread run: one record must not stop the floor. */
const turnMs = 5;
/** No field of the platform is that long, but a text that doubles itself repeatedly is. */
const maxTextLength = 1 << 20;
/** The hook that JSONata calls with the value of every node. */
const onEvaluated = Symbol.for("jsonata.__evaluate_exit");

// Loaded with the first expression: most deployments use only paths, and loading both libraries slows down the start.
const load = createRequire(import.meta.url);

/** The library's own error code. */
const timeOutCode = "D1012";

/** Whether the result of an expression means yes: not an empty list or text, 0, false, nor nothing at all. */
export const isTrue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : Boolean(value) && value !== "false";

/** Whether an evaluation timed out, rather than failed because of its data. */
export const isTimeOut = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === timeOutCode;

/**
 * Compiles a JSONata expression. It can read only its input and the given functions; time, depth and lengths are
 * limited, and patterns run on RE2. Throws an ExpressionError.
 */
export function expression(text: string, functions: Readonly<Record<string, ExpressionFunction>> = {}): Expression {
  // The types of the two libraries; require cannot know them.
  const compile = load("jsonata") as typeof jsonata;
  // Same reason as above.
  const { RE2JS: engine } = load("re2js") as { RE2JS: typeof RE2JS };
  const RegexEngine = re2Engine(engine);
  try {
    const compiled = compile(text, { ...limits, RegexEngine });
    const ast = compiled.ast();
    visit(ast, (pattern) => new RegexEngine(pattern));
    // Otherwise the library would fail at the first record, without naming the function.
    const unknown = unknownFunction(ast, Object.keys(functions));
    if (unknown !== undefined) throw Object.assign(new Error(unknown.message), unknown);
    for (const [name, { run, signature }] of Object.entries({ ...functions, ...replaced })) {
      // The signature allows only the arguments that the function takes.
      compiled.registerFunction(name, run as (...given: unknown[]) => unknown, signature);
    }
    const onStep = processorLimit();
    // The library waits for what this returns.
    const onValue = (_node: unknown, _input: unknown, { base }: { base: object }, value: unknown) => {
      refuseLongText(value);
      return onStep(base);
    };
    // The library binds any key it is given; its types allow only texts.
    compiled.assign(onEvaluated as unknown as string, onValue);
    return {
      ast,
      evaluate: (input, variables = {}) => compiled.evaluate(input, variables),
    };
  } catch (cause) {
    throw toError(text, cause);
  }
}

/**
 * Refuses very long texts: thirty doublings make a text of half a gigabyte, and the next function would need all
 * memory.
 */
function refuseLongText(value: unknown): void {
  if (typeof value === "string" && value.length > maxTextLength) throw new Error("a text in it is too long");
}

/** What one evaluation has used, and where its current turn began. */
interface Evaluation {
  usedMs: number;
  beganAt: number;
  beganWith: number;
}

/**
 * Returns a function to be called at every step of an evaluation, with an object of its own per evaluation. It refuses
 * an evaluation that takes too much processor time, and lets other work run after a few milliseconds.
 */
function processorLimit(): (evaluation: object) => Promise<void> | undefined {
  const evaluations = new WeakMap<object, Evaluation>();
  const processorMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const beginTurn = (one: Pick<Evaluation, "usedMs">): Evaluation =>
    Object.assign(one, { beganAt: performance.now(), beganWith: processorMs() });
  return (evaluation) => {
    let one = evaluations.get(evaluation);
    if (one === undefined) {
      one = beginTurn({ usedMs: 0 });
      evaluations.set(evaluation, one);
    }
    // Elapsed time is checked first: reading the processor time needs a system call.
    if (performance.now() - one.beganAt < turnMs) return undefined;
    one.usedMs += processorMs() - one.beganWith;
    if (one.usedMs > mostProcessorMs) {
      const message = `it takes more than ${mostProcessorMs} ms of processor time`;
      throw Object.assign(new Error(message), { code: timeOutCode, value: mostProcessorMs });
    }
    return ownTurn().then(() => void beginTurn(one));
  };
}

/** The turns of all evaluations of this thread, one after the other. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the event loop that no other evaluation gets: ten at once would take ten times as long. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** Compiles every pattern before the first record needs it, and refuses what would bypass the limits. */
function visit(node: unknown, onPattern: (pattern: RegExp) => void): void {
  if (node instanceof RegExp) onPattern(node);
  if (typeof node !== "object" || node === null) return;
  // It is a node of the parsed expression; its members may be anything.
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
  // JSONata throws objects that are not errors; each member may be missing.
  const { message, position, token } = cause as { message?: string; position?: number; token?: unknown };
  const problem = message ?? String(cause);
  if (position === undefined) return new ExpressionError(problem, { cause });
  // JSONata's position is after the offending word.
  const isWord = typeof token === "string" && token !== "(end)";
  const before = text.slice(0, Math.max(0, position - (isWord ? token.length : 0))).split("\n");
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return new ExpressionError(problem, { position: place, cause });
}

/**
 * Makes JSONata match with RE2, which takes time in proportion to the text. In JavaScript's own engine one expression
 * of a configuration can block for minutes, and no time limit of JSONata interrupts it.
 */
function re2Engine(re2: typeof RE2JS): RegExpConstructor {
  // Cached: an expression is evaluated once per row and creates its pattern each time.
  const compiled = new WeakMap<RegExp, RE2JS>();

  class Re2Engine {
    lastIndex = 0;
    readonly #pattern: RE2JS;

    constructor(written: RegExp) {
      this.#pattern = compiled.get(written) ?? re2.compile(re2.translateRegExp(written));
      compiled.set(written, this.#pattern);
    }

    exec(text: string): (string[] & { index: number }) | null {
      const matcher = this.#pattern.matcher(text);
      if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
        this.lastIndex = 0;
        return null;
      }
      this.lastIndex = matcher.end();
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? "");
      return Object.assign(groups, { index: matcher.start() });
    }
  }
  // JSONata constructs it with the RegExp of its parser, sets lastIndex and calls exec; nothing else is used.
  return Re2Engine as unknown as RegExpConstructor;
}

/** JSONata's own functions. `$eval` is not included: it is refused by name. */
export const ownFunctions = (
  "sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match " +
  "contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power " +
  "random boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert " +
  "type sort shuffle distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl toMillis " +
  "fromMillis clone now millis"
).split(" ");

interface Node {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly position?: number;
  readonly procedure?: Node;
  readonly lhs?: Node;
  readonly rhs?: Node;
  readonly arguments?: readonly Node[];
  readonly focus?: unknown;
  readonly index?: unknown;
}

/** A call of a function that is neither JSONata's, nor ours, nor defined in the expression itself. */
function unknownFunction(
  ast: unknown,
  added: readonly string[],
): { readonly message: string; readonly position: number | undefined; readonly token: string } | undefined {
  const called: Node[] = [];
  const bound = new Set<unknown>();
  const visit = (given: unknown): void => {
    if (typeof given !== "object" || given === null) return;
    // It is a node of the parsed expression; all its members are optional.
    const node = given as Node;
    if (node.type === "bind") bound.add(node.lhs?.value);
    if (node.type === "lambda") for (const { value } of node.arguments ?? []) bound.add(value);
    if (typeof node.focus === "string") bound.add(node.focus);
    if (typeof node.index === "string") bound.add(node.index);
    if ((node.type === "function" || node.type === "partial") && node.procedure?.type === "variable") {
      called.push(node.procedure);
    }
    if (node.type === "apply" && node.rhs?.type === "variable") called.push(node.rhs);
    for (const child of Object.values(given)) visit(child);
  };
  visit(ast);
  const known = [...ownFunctions, ...added];
  const unknown = called.find(({ value }) => !bound.has(value) && !known.includes(String(value)));
  if (unknown === undefined) return undefined;
  const name = String(unknown.value);
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : `; did you mean $${near}?`;
  return { message: `there is no function $${name}${hint}`, position: unknown.position, token: name };
}
