import { type Bar, isReached, type MachineState, type Measurement, ratioOf } from "./measurement.ts";

export const columns = ["Figure", "Crossdock", "Bare", "Ratio", "Bar", "Reached", "Load", "Stolen"] as const;

export function cells(measurement: Measurement, { loadBefore, stolen }: MachineState): readonly string[] {
  const { what, unit, ours, bare, bar } = measurement;
  const ratio = ratioOf(measurement);
  return [
    what,
    amount(ours, unit),
    bare === undefined ? "–" : amount(bare, unit),
    ratio === null ? "–" : ratio.toFixed(2),
    ...(bar === undefined ? ["–", "–"] : [barText(bar, unit), isReached(measurement) ? "yes" : "no"]),
    loadBefore.toFixed(1),
    `${(100 * stolen).toFixed(0)} %`,
  ];
}

function barText({ of, at, limit }: Bar, unit: Measurement["unit"]): string {
  return `${at === "least" ? "≥" : "≤"} ${of === "ratio" ? `${limit} ×` : amount(limit, unit)}`;
}

function amount(value: number, unit: Measurement["unit"]): string {
  const digits = unit === "1/s" || unit === "events" || value >= 100 ? 0 : 1;
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

const widths = [52, 13, 13, 6, 11, 7, 5, 6];

/** One line for the terminal, in columns of fixed width. */
export const line = (texts: readonly string[]): string =>
  texts
    .map((text, index) => (index === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[index] ?? 0)))
    .join("  ");

export const markdownRow = (texts: readonly string[]): string => `| ${texts.join(" | ")} |`;
