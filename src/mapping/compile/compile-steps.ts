import type { DateSettings } from "../../operation/dates.ts";
import { complain, type Run, type Site, type Step, shown, startRun } from "../run.ts";
import { compileSource } from "../source/read-source.ts";
import { dateStep, datesIn } from "../steps/date-step.ts";
import { isRounded, notWhole, numberStep, plainNumber, rounded, roundStep, unitStep } from "../steps/number-step.ts";
import {
  booleanStep,
  cleaningSteps,
  enumStep,
  lookupStep,
  type ReadingNeeds,
  shapingSteps,
} from "../steps/text-steps.ts";
import { anyTarget, type Target } from "../target.ts";
import { type Compiling, inside, joined, type Place } from "./compiling.ts";

/**
 * The last step of a rule: converts a value to the contract's type if the meaning is certain; otherwise reports a
 * problem.
 */
function fitTarget(target: Target, site: Site, dates: DateSettings): Step {
  const { enumeration } = target;
  if (enumeration !== undefined) {
    return (value, run) => {
      const names = enumeration.names.join(", ");
      return enumeration.numberOf(value) ?? complain(site, run, `${shown(value)} is not one of ${names}; add a lookup`);
    };
  }
  switch (target.kind) {
    case "text":
      return (value, run) => (typeof value === "string" ? value : asText(value, run, site));
    case "date":
      return dateStep(true, { site, dates, report: () => undefined });
    case "whole":
      return (value, run) => (Number.isSafeInteger(value) ? value : asWhole(value, run, site));
    case "number":
      return target.isMeasure === true
        ? (value, run) => (Number.isFinite(value) ? value : asNumber(value, run, site))
        : (value, run) => (Number.isFinite(value) ? value : asExactNumber(value, run, site));
    case "flag":
      return (value, run) => (typeof value === "boolean" ? value : asFlag(value, run, site));
    default:
      return plain;
  }
}

/** A value that JSON can represent; databases return others too. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === "function" || typeof value === "symbol" ? undefined : value;
}

function asText(value: unknown, run: Run, site: Site): string | undefined {
  const made = typeof value === "bigint" ? String(value) : plain(value);
  if (typeof made === "string") return made;
  if (typeof made === "boolean") return String(made);
  if (typeof made === "number") {
    // 20-digit identifiers without quotes have already lost their last digits.
    if (Number.isInteger(made) && !Number.isSafeInteger(made)) {
      return complain(site, run, `${made} has too many digits for a number; let the source send it as a text`);
    }
    return String(made);
  }
  const kind = Array.isArray(made) ? "a list" : "an object";
  return complain(site, run, `${shown(value)} is ${kind} and not a text; name a member of it, or add join`);
}

function asNumber(value: unknown, run: Run, site: Site): number | undefined {
  const number = plainNumber(value);
  if (number !== undefined) return number;
  const hint =
    typeof value === "string" && value.includes(",")
      ? 'add number: { decimal: "," } or "."'
      : "correct it in the source";
  return complain(site, run, `${shown(value)} is not a number; ${hint}`);
}

function asExactNumber(value: unknown, run: Run, site: Site): number | undefined {
  return isRounded(value) ? complain(site, run, rounded(value)) : asNumber(value, run, site);
}

function asWhole(value: unknown, run: Run, site: Site): number | undefined {
  const number = asExactNumber(value, run, site);
  if (number === undefined || Number.isSafeInteger(number)) return number;
  return complain(site, run, notWhole(number));
}

const flags: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
  [1, true],
  [0, false],
]);

function asFlag(value: unknown, run: Run, site: Site): boolean | undefined {
  const key = typeof value === "string" ? value.toLowerCase() : value;
  return (
    flags.get(key) ??
    complain(site, run, `${shown(value)} is neither true nor false; add boolean: { true: […], false: […] }`)
  );
}

type Options = Readonly<Record<string, unknown>>;
type Compile = (option: unknown, needs: ReadingNeeds, all: Options) => Step;

/** By the key in the rule. Steps are applied in this order, whatever their order in the configuration. */
const steps: Readonly<Record<string, Compile>> = {
  ...cleaningSteps,
  lookup: (option, needs, all) => lookupStep(option, all["else"], needs),
  number: numberStep,
  unit: unitStep,
  round: roundStep,
  date: (option, needs, all) => dateStep(option, { ...needs, dates: datesIn(all["zone"], needs.dates, needs.report) }),
  enum: enumStep,
  boolean: booleanStep,
  ...shapingSteps,
  text: (option, { site, dates, report }) => {
    if (option !== true) report("can only be true; leave it out otherwise");
    return fitTarget({ kind: "text" }, site, dates);
  },
};

export const stepKeys: readonly string[] = [...Object.keys(steps), "zone", "else", "required"];

/** All conversions of a value between the source and the contract. */
export function compileSteps(needs: {
  readonly options: Options;
  readonly target: Target;
  readonly place: Place;
  readonly site: Site;
  readonly compiling: Compiling;
}): Step {
  const { options, target, place, site, compiling } = needs;
  const chain = Object.entries(steps).flatMap(([key, compile]) => {
    const option = options[key];
    if (option === undefined) return [];
    const at = inside(place, key);
    const report = (text: string, inner?: string) => {
      compiling.problems.push({ path: inner === undefined ? at.path : joined(at.path, inner), text });
    };
    const read = (path: unknown, inner: string) => compileSource(path, inside(at, inner), compiling)?.read;
    const isMeasure = target.isMeasure === true;
    return [compile(option, { site, dates: compiling.dates, report, read, isMeasure }, options)];
  });
  const isDateMade = options["date"] !== undefined && target.kind === "date";
  const fitted = fitTarget(isDateMade ? anyTarget : target, site, compiling.dates);
  const otherwise = options["else"];
  const { required } = options;
  if (required !== undefined && required !== true)
    compiling.problems.push({ path: inside(place, "required").path, text: "can only be true; leave it out otherwise" });
  const missing = (run: Run) =>
    required === true ? complain(site, run, "it is required and has no value") : undefined;
  if (chain.length === 0 && otherwise === undefined && required === undefined)
    return (value, run, record) => (value === undefined ? value : fitted(value, run, record));
  const fallback =
    otherwise === undefined ? undefined : fittedConstant(otherwise, { ...needs, place: inside(place, "else") });
  return (given, run, record) => {
    let value = given;
    if (value === undefined) return fallback ?? missing(run);
    const before = run.problems.length;
    for (const step of chain) {
      value = step(value, run, record);
      if (value === undefined) return run.problems.length === before ? (fallback ?? missing(run)) : undefined;
    }
    return fitted(value, run, record);
  };
}

/** A constant in the contract's form, converted once; a constant that does not fit is a mistake in the rule. */
export function fittedConstant(
  value: unknown,
  { target, place, compiling }: { readonly target: Target; readonly place: Place; readonly compiling: Compiling },
): unknown {
  const run = startRun(value);
  const fitted = fitTarget(target, { field: "", source: undefined }, compiling.dates)(value, run, value);
  for (const { text } of run.problems) compiling.problems.push({ path: place.path, text });
  return fitted;
}
