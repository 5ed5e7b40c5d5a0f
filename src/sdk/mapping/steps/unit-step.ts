import { complain, type Step, shown } from "../run.ts";
import { plainNumber } from "./plain-number.ts";
import type { ReadingNeeds } from "./step-needs.ts";

const keys = ["from", "factors", "factor", "else"];

/**
 * Turns an amount into the base unit: `{ from: UomCode, factors: { KAR: 12, ST: 1 } }` by a field of the record,
 * `{ factor: 1000 }` always. `else` is the factor of units that are not listed; without it they are a problem.
 */
export function unitStep(option: unknown, { site, report, read }: ReadingNeeds): Step {
  const given = typeof option === "object" && option !== null ? (option as Readonly<Record<string, unknown>>) : {};
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) report(`unknown; there are ${keys.join(", ")}`, unknown);
  const otherwise = factorOf(given["else"]);
  if (given["else"] !== undefined && otherwise === undefined) report("must be a number above 0", "else");
  const factor = factorOf(given["factor"]);
  if (factor !== undefined)
    return (value, run) => times(value, factor) ?? complain(site, run, `${shown(value)} is no number`);
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
      const what = code === undefined ? "the record names no unit" : `the unit ${shown(code)} has no factor`;
      return complain(site, run, `${what}; add it to unit.factors (there: ${known}), or add unit.else`);
    }
    return times(value, found) ?? complain(site, run, `${shown(value)} is no number`);
  };
}

const factorOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

function times(value: unknown, factor: number): number | undefined {
  const number = plainNumber(value);
  if (number === undefined || factor === 1) return number;
  const product = number * factor;
  if (Number.isSafeInteger(product) && Number.isInteger(number) && Number.isInteger(factor)) return product;
  // 1.1 × 1000 is 1100.0000000000002 in binary, and no whole number any more.
  return Number(product.toPrecision(15));
}
