import type { DateSettings } from "../dates.ts";
import type { ExpressionFunction } from "./expression.ts";
import { type Step, startRun } from "./run.ts";
import { dateStep } from "./steps/date-step.ts";
import { enumStep } from "./steps/enum-step.ts";
import { numberStep } from "./steps/number-step.ts";
import { roundStep } from "./steps/round-step.ts";
import type { StepNeeds } from "./steps/step-needs.ts";

const raise = (text: string): never => {
  throw new Error(text);
};

/** What rules can do, for expressions: `$date(Due, "dd.MM.yyyy")`, `$decimal(Qty, ",")`, `$enum("UnitOfMeasure", Uom)`, `$whole(Qty, "up")`. */
export function expressionFunctions(dates: DateSettings): Readonly<Record<string, ExpressionFunction>> {
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

/** JSONata's way: nothing in, nothing out. */
function applied(value: unknown, step: () => Step): unknown {
  if (value === undefined || value === null) return undefined;
  const run = startRun(value);
  const made = step()(value, run, value);
  const [problem] = run.problems;
  return problem === undefined ? made : raise(problem.text);
}
