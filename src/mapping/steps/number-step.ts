import { type DecimalSign, readExactNumber } from "../../formats/import/file-reading.ts";
import { exactNumber } from "../../kit/json/exact-number.ts";
import { complain, type Run, type Step, shown } from "../run.ts";
import type { ReadingNeeds, StepNeeds } from "./text-steps.ts";

const keys = ["from", "factors", "factor", "else"];

/**
 * Converts an amount to the base unit: `{ from: UomCode, factors: { KAR: 12, ST: 1 } }` by a field of the record,
 * `{ factor: 1000 }` always. `else` is the factor of units that are not listed; without it they are a problem.
 */
export function unitStep(option: unknown, { site, report, read, isMeasure }: ReadingNeeds): Step {
  const given = typeof option === "object" && option !== null ? (option as Readonly<Record<string, unknown>>) : {};
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) report(`unknown; there are ${keys.join(", ")}`, unknown);
  const otherwise = factorOf(given["else"]);
  if (given["else"] !== undefined && otherwise === undefined) report("must be a number above 0", "else");
  const factor = factorOf(given["factor"]);
  const converted = (value: unknown, by: number, run: Run) =>
    !isMeasure && isRounded(value)
      ? complain(site, run, rounded(value))
      : (times(value, by) ?? complain(site, run, `${shown(value)} is not a number`));
  if (factor !== undefined) return (value, run) => converted(value, factor, run);
  const factors = new Map<string, number>();
  for (const [code, number] of Object.entries(given["factors"] ?? {})) {
    const one = factorOf(number);
    if (one === undefined) report("must be a number above 0", `factors.${code}`);
    else factors.set(code, one);
  }
  const codeOf = given["from"] === undefined ? undefined : read(given["from"], "from");
  if (given["from"] === undefined || factors.size === 0) {
    report("needs from (the field with the unit) and factors (unit: amount in the base unit), or a factor");
  }
  return (value, run, record) => {
    const code = codeOf?.(record, run);
    const found = (code === undefined ? undefined : factors.get(String(code).trim())) ?? otherwise;
    if (found === undefined) {
      const known = [...factors.keys()].slice(0, 10).join(", ");
      const what = code === undefined ? "the record has no unit" : `the unit ${shown(code)} has no factor`;
      return complain(site, run, `${what}; add it to unit.factors (it has ${known}), or add unit.else`);
    }
    return converted(value, found, run);
  };
}

const factorOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

function times(value: unknown, factor: number): number | undefined {
  const number = plainNumber(value);
  if (number === undefined || factor === 1) return number;
  const product = number * factor;
  if (Number.isSafeInteger(product) && Number.isInteger(number) && Number.isInteger(factor)) return product;
  // 1.1 × 1000 is 1100.0000000000002 in binary, which is not a whole number.
  return Number(product.toPrecision(15));
}

/** Ways of rounding, by their names in a rule. `half-up` rounds away from zero. */
const roundings: Readonly<Record<string, (number: number) => number>> = {
  down: Math.floor,
  up: Math.ceil,
  "half-up": (number) => Math.sign(number) * Math.floor(Math.abs(number) + 0.5),
};

export function roundStep(option: unknown, { site, report }: StepNeeds): Step {
  const names = ["exact", ...Object.keys(roundings)];
  if (typeof option !== "string" || !names.includes(option))
    report(`${shown(option)} is not one of ${names.join(", ")}`);
  const way = Object.hasOwn(roundings, String(option)) ? roundings[String(option)] : undefined;
  return (value, run) => {
    const number = plainNumber(value);
    if (number === undefined) return complain(site, run, `${shown(value)} is not a number that can be rounded`);
    const made = way === undefined ? number : way(number);
    const isLost = way === undefined ? isRounded(value) : !Number.isSafeInteger(made);
    if (isLost) return complain(site, run, rounded(value));
    return Number.isSafeInteger(made) ? made : complain(site, run, notWhole(made));
  };
}

/** `{ decimal: "," }` reads `1.234,50`; `true` reads only unambiguous numbers. SAP's `12.5-` is minus 12.5. */
export function numberStep(option: unknown, { site, report }: StepNeeds): Step {
  const decimal = decimalOf(option);
  if (decimal === null)
    report(`${shown(option)} is not a number format; write true or { decimal: "," } or { decimal: "." }`);
  return (value, run) => {
    if (typeof value !== "string" || decimal === null || decimal === undefined) {
      const number = plainNumber(value);
      // The target decides: a weight becomes the nearest number, an amount is an error.
      if (isRounded(value)) return value;
      return (
        number ??
        complain(site, run, `${shown(value)} is not a number; if it is a text, add number: { decimal: "," } or "."`)
      );
    }
    const text = value.trim();
    const isNegative = text.endsWith("-");
    const number = readExactNumber(isNegative ? text.slice(0, -1) : text, decimal);
    if (number === null)
      return complain(site, run, `${shown(value)} is not a number with the decimal sign "${decimal}"`);
    if (typeof number === "string") return isNegative ? `-${number}` : number;
    return isNegative ? -number : number;
  };
}

/** The configured decimal sign; undefined if none is fixed, null if the option is wrong. */
function decimalOf(option: unknown): DecimalSign | undefined | null {
  if (option === true) return undefined;
  if (typeof option !== "object" || option === null || Object.keys(option).join() !== "decimal") return null;
  // The option has only this key, as just checked.
  const { decimal } = option as { decimal: unknown };
  return decimal === "," || decimal === "." ? decimal : null;
}

const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

/** Reads a number or an unambiguous text; undefined for everything else. `1,5` and `1.000,00` need a format. */
export function plainNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || !decimal.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether a number loses digits: as a number, 1.0000000000000001 would be 1, and an amount must not be rounded silently. */
export function isRounded(value: unknown): boolean {
  if (typeof value === "bigint" || Number.isInteger(value)) return !Number.isSafeInteger(Number(value));
  return typeof value === "string" && plainNumber(value) !== undefined && typeof exactNumber(value) === "string";
}

export const rounded = (value: unknown): string =>
  `${shown(value)} has more digits than a number keeps, and is not rounded; shorten it in the source`;

/** The problem text of a fraction where a whole number is needed. An amount must not be rounded silently. */
export const notWhole = (number: number): string =>
  `${number} is not a whole number and no rounding is configured; add round: down, up or half-up, or a unit in which it is whole`;
