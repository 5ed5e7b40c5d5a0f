import { nearestName } from "../../kit/nearest-name.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { ExpressionError, expression } from "../expressions/expression.ts";
import { unknownNames } from "../expressions/expression-names.ts";
import { type ExpressionFunction, readNumber } from "../expressions/replaced-functions.ts";
import { type Read, type Site, type Step, startRun } from "../run.ts";
import { compileFirst, compileJoin, compileSource, type Source } from "../source/read-source.ts";
import { dateStep } from "../steps/date-step.ts";
import { isRounded, numberStep, rounded, roundStep } from "../steps/number-step.ts";
import { enumStep, type StepNeeds } from "../steps/text-steps.ts";
import type { Target } from "../target.ts";
import { compileSteps, fittedConstant, stepKeys } from "./compile-steps.ts";
import { type Compiling, inside, isSampled, laterRule, type Place, type Rule } from "./compiling.ts";

export type Options = Readonly<Record<string, unknown>>;

/** The kinds of rules, and the keys that each allows. */
const allowedKeys: Readonly<Record<string, readonly string[]>> = {
  from: stepKeys,
  value: [],
  join: ["with", ...stepKeys],
  all: ["without"],
  each: ["map", "where"],
  members: [],
};

export const wayOf = (options: Options): string | undefined =>
  Object.keys(allowedKeys).find((way) => Object.hasOwn(options, way));

const nothing: Rule = { read: () => undefined };

/** The rule for one member that is not a nested object or list. */
export function compileRule(spec: unknown, target: Target, place: Place, compiling: Compiling): Rule {
  if (typeof spec === "string") return textRule(spec, target, place, compiling);
  if (typeof spec === "number" || typeof spec === "boolean") return constant(spec, target, place, compiling);
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    const text = Array.isArray(spec)
      ? "a list is not a rule; write { from: [first, second] }"
      : "is empty; write a path, or leave it out";
    compiling.problems.push({ path: place.path, text });
    return nothing;
  }
  // It is an object: everything else was reported above.
  const options = spec as Options;
  if (Object.hasOwn(options, "value")) return constant(options["value"], target, inside(place, "value"), compiling);
  if (Object.hasOwn(options, "all")) return wholeRecord(options, target);
  const from = options["from"];
  if (typeof from === "string" && from.trimStart().startsWith("="))
    return expressionRule(from, options, target, inside(place, "from"), compiling);
  const source = Object.hasOwn(options, "join")
    ? compileJoin(options["join"], options["with"], inside(place, "join"), compiling)
    : fromOf(from, inside(place, "from"), compiling);
  return fieldRule(source, options, target, place, compiling);
}

/** Checks every key of a rule, and suggests the key that was probably meant. */
export function checkKeys(way: string, options: Options, place: Place, { problems }: Compiling): void {
  const allowed = [way, ...(allowedKeys[way] ?? [])];
  for (const key of Object.keys(options)) {
    if (allowed.includes(key)) continue;
    const near = nearestName(key, allowed);
    const hint =
      near === undefined
        ? `beside ${way} there may be ${allowed.slice(1).join(", ") || "nothing"}`
        : `did you mean ${near}?`;
    problems.push({ path: inside(place, key).path, text: `unknown in this rule; ${hint}` });
  }
}

function textRule(text: string, target: Target, place: Place, compiling: Compiling): Rule {
  if (text.trimStart().startsWith("=")) return expressionRule(text, {}, target, place, compiling);
  // `requestType: PickItem`: a source field is never named like a value of the contract's enumeration.
  if (target.enumeration?.names.includes(text) === true) return constant(text, target, place, compiling);
  return fieldRule(compileSource(text, place, compiling), {}, target, place, compiling);
}

const fromOf = (from: unknown, place: Place, compiling: Compiling): Source | undefined =>
  Array.isArray(from) ? compileFirst(from, place, compiling) : compileSource(from, place, compiling);

function fieldRule(
  source: Source | undefined,
  options: Options,
  target: Target,
  place: Place,
  compiling: Compiling,
): Rule {
  const site: Site = { field: place.field, source: source?.written };
  if (source !== undefined) compiling.sources.set(place.field, source.written);
  const finish = compileSteps({ options, target, place, site, compiling });
  if (source === undefined) return nothing;
  const { read } = source;
  return { read: (record, run) => finish(read(record, run), run, record) };
}

function expressionRule(text: string, options: Options, target: Target, place: Place, compiling: Compiling): Rule {
  const site: Site = { field: place.field, source: text.trim() };
  compiling.sources.set(place.field, text.trim());
  compiling.expressionCount++;
  const start = text.indexOf("=") + 1;
  const finish = compileSteps({ options, target, place, site, compiling });
  try {
    // The text before the sign is replaced by spaces, not cut off, so that positions match the original text.
    const compiled = expression(" ".repeat(start) + text.slice(start), functionsFor(target, options, compiling));
    checkNames(compiled.ast, text, place, compiling);
    return { later: laterRule({ expression: compiled, site, level: place.bases.length - 1, finish }) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { message, position } = error;
    compiling.problems.push({ path: place.path, text: message, ...(position === undefined ? {} : { position }) });
    return nothing;
  }
}

/** An expression that reads a member the event cannot have would always be empty, and nobody would notice. */
export function checkNames(ast: unknown, text: string, place: Place, { problems }: Compiling): void {
  const { shapes } = place;
  const variables = { root: shapes[0] ?? null, parent: shapes.at(-2) ?? null };
  for (const { text: problemText, position } of unknownNames(ast, { here: shapes.at(-1) ?? null, variables })) {
    const before = text.slice(0, position ?? 0).split("\n");
    const at = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    const hint = isSampled(place) ? "" : '. Read a name that is not in the contract with $lookup($, "name")';
    problems.push({ path: place.path, text: problemText + hint, ...(position === undefined ? {} : { position: at }) });
  }
}

function constant(value: unknown, target: Target, place: Place, compiling: Compiling): Rule {
  const fitted = fittedConstant(value, { target, place, compiling });
  const isShared = typeof fitted === "object" && fitted !== null;
  return { read: isShared ? () => structuredClone(fitted) : () => fitted };
}

/** The record as received, for external data; if the contract expects a text, its JSON. */
function wholeRecord({ without }: Options, target: Target): Rule {
  const left = new Set([without ?? []].flat().map(String));
  const read: Read = (record) => {
    if (left.size === 0 || typeof record !== "object" || record === null) return record;
    return Object.fromEntries(Object.entries(record).filter(([name]) => !left.has(name)));
  };
  return { read: target.kind === "text" ? (record, run) => JSON.stringify(read(record, run)) : read };
}

const raise = (text: string): never => {
  throw new Error(text);
};

/**
 * The functions of an expression whose value becomes this member. JSONata's own `$number` rounds. It is used only where
 * digits may be lost: for measures, values that are compared and not kept, and values that a rule rounds.
 */
function functionsFor(
  target: Target,
  { round }: Options,
  { dates, isOfContract }: Compiling,
): Readonly<Record<string, ExpressionFunction>> {
  const isCompared = target.enumeration !== undefined || target.kind === "date" || target.kind === "flag";
  const mayRound = target.isMeasure === true || isCompared || (round !== undefined && round !== "exact");
  return { ...expressionFunctions(dates), ...(isOfContract && !mayRound ? { number: exactNumberFunction } : {}) };
}

/**
 * The conversion steps as functions for expressions: `$date(Due, "dd.MM.yyyy")`, `$decimal(Qty, ",")`,
 * `$enum("UnitOfMeasure", Uom)`, `$whole(Qty, "up")`.
 */
function expressionFunctions(dates: DateSettings): Readonly<Record<string, ExpressionFunction>> {
  const needs: StepNeeds = { site: { field: "", source: undefined }, dates, report: raise };
  return {
    date: {
      run: (value: unknown, format?: string) => applied(value, () => dateStep(format ?? true, needs)),
      signature: "<x-s?:x>",
    },
    decimal: {
      run: (value: unknown, decimal: string) => applied(value, () => numberStep({ decimal }, needs)),
      signature: "<x-s:x>",
    },
    enum: {
      run: (name: string, value: unknown) => applied(value, () => enumStep(name, needs)),
      signature: "<sx:x>",
    },
    whole: {
      run: (value: unknown, rounding: string) => applied(value, () => roundStep(rounding, needs)),
      signature: "<x-s:x>",
    },
  };
}

/** JSONata's `$number`, which refuses what it would round: an amount, or a long identifier. */
const exactNumberFunction: ExpressionFunction = {
  run: (value: unknown) => (isRounded(value) ? raise(rounded(value)) : readNumber(value)),
  signature: "<(nsb)-:n>",
};

/** Applies a step. As in JSONata, no input gives no output. */
function applied(value: unknown, step: () => Step): unknown {
  if (value === undefined || value === null) return undefined;
  const run = startRun(value);
  const made = step()(value, run, value);
  const [problem] = run.problems;
  return problem === undefined ? made : raise(problem.text);
}
