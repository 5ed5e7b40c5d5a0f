import { exactNumber } from "../../../kit/exact-number.ts";
import { type DecimalSign, readExactNumber } from "../../records/read-number.ts";
import { complain, type Step, shown } from "../run.ts";
import { plainNumber } from "./plain-number.ts";
import type { StepNeeds } from "./step-needs.ts";

/** `{ decimal: "," }` reads `1.234,50`; `true` reads only what can be meant in one way. SAP's `12.5-` is minus 12.5. */
export function numberStep(option: unknown, { site, report }: StepNeeds): Step {
  const decimal = decimalOf(option);
  if (decimal === null)
    report(`${shown(option)} is no number format; write true or { decimal: "," } or { decimal: "." }`);
  return (value, run) => {
    if (typeof value !== "string" || decimal === null || decimal === undefined) {
      const number = plainNumber(value);
      // What the target wants decides: it is the nearest number for a weight, and an error for a quantity.
      if (number !== undefined && typeof value === "string" && typeof exactNumber(value) === "string") return value;
      return (
        number ??
        complain(site, run, `${shown(value)} is no number; if it is a text, add number: { decimal: "," } or "."`)
      );
    }
    const text = value.trim();
    const isNegative = text.endsWith("-");
    const number = readExactNumber(isNegative ? text.slice(0, -1) : text, decimal);
    if (number === null) return complain(site, run, `${shown(value)} is no number with the decimal sign "${decimal}"`);
    if (typeof number === "string") return isNegative ? `-${number}` : number;
    return isNegative ? -number : number;
  };
}

/** Undefined where no sign is fixed, null where the option is wrong. */
function decimalOf(option: unknown): DecimalSign | undefined | null {
  if (option === true) return undefined;
  if (typeof option !== "object" || option === null || Object.keys(option).join() !== "decimal") return null;
  // Its only key is this one, as just asked.
  const { decimal } = option as { decimal: unknown };
  return decimal === "," || decimal === "." ? decimal : null;
}
