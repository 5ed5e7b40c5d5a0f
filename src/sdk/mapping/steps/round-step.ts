import { notWhole } from "../not-whole.ts";
import { complain, type Step, shown } from "../run.ts";
import { plainNumber } from "./plain-number.ts";
import type { StepNeeds } from "./step-needs.ts";

/** Ways to a whole number, by the word a rule writes. `half-up` goes away from zero. */
const roundings: Readonly<Record<string, (number: number) => number>> = {
  down: Math.floor,
  up: Math.ceil,
  "half-up": (number) => Math.sign(number) * Math.floor(Math.abs(number) + 0.5),
};

export function roundStep(option: unknown, { site, report }: StepNeeds): Step {
  const names = ["exact", ...Object.keys(roundings)];
  if (typeof option !== "string" || !names.includes(option)) report(`${shown(option)} is none of ${names.join(", ")}`);
  const rounded = Object.hasOwn(roundings, String(option)) ? roundings[String(option)] : undefined;
  return (value, run) => {
    const number = plainNumber(value);
    if (number === undefined) return complain(site, run, `${shown(value)} is no number that can be rounded`);
    if (rounded !== undefined) return rounded(number);
    return Number.isSafeInteger(number) ? number : complain(site, run, notWhole(number));
  };
}
