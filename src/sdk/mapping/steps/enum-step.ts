import { nearestName } from "../../../kit/nearest-name.ts";
import { enumerations } from "../enumerations.ts";
import { complain, type Step, shown } from "../run.ts";
import type { StepNeeds } from "./step-needs.ts";

/** `enum: UnitOfMeasure`: contract name, number or a usual word for it becomes the number. */
export function enumStep(option: unknown, { site, report }: StepNeeds): Step {
  const name = String(option);
  const enumeration = Object.hasOwn(enumerations, name) ? enumerations[name] : undefined;
  if (enumeration === undefined) {
    const names = Object.keys(enumerations);
    const near = nearestName(name, names);
    report(
      near === undefined
        ? `${shown(option)} is none of ${names.join(", ")}`
        : `there is no ${name}; did you mean ${near}?`,
    );
    return (value) => value;
  }
  return (value, run) =>
    enumeration.numberOf(value) ??
    complain(site, run, `${shown(value)} is none of ${enumeration.names.join(", ")}; add a lookup`);
}
