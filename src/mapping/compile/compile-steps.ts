import { fitTarget } from "../fit-target.ts";
import { type Site, type Step, startRun } from "../run.ts";
import { compileSource } from "../source/compile-source.ts";
import { dateStep, datesIn } from "../steps/date-step.ts";
import { numberStep, roundStep, unitStep } from "../steps/number-step.ts";
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

type Options = Readonly<Record<string, unknown>>;
type Compile = (option: unknown, needs: ReadingNeeds, all: Options) => Step;

/** By the key of the rule, in the order of application, whatever their order in the configuration. */
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

export const stepKeys: readonly string[] = [...Object.keys(steps), "zone", "else"];

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
    return [compile(option, { site, dates: compiling.dates, report, read }, options)];
  });
  const isDateMade = options["date"] !== undefined && target.kind === "date";
  const fitted = fitTarget(isDateMade ? anyTarget : target, site, compiling.dates);
  const otherwise = options["else"];
  if (chain.length === 0 && otherwise === undefined)
    return (value, run, record) => (value === undefined ? value : fitted(value, run, record));
  const fallback =
    otherwise === undefined ? undefined : fittedConstant(otherwise, { ...needs, place: inside(place, "else") });
  return (given, run, record) => {
    let value = given;
    if (value === undefined) return fallback;
    const before = run.problems.length;
    for (const step of chain) {
      value = step(value, run, record);
      if (value === undefined) return run.problems.length === before ? fallback : undefined;
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
