import type { Stage } from "./stage.ts";

export type Form = "full" | "short";

/** One measured value, and its limit. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: "" | "ms" | "s" | "1/s" | "%";
  /** Absent if the figure only shows how much was tested. */
  readonly bar?: { readonly at: "least" | "most"; readonly limit: number };
}

export interface Report {
  readonly figures: readonly Figure[];
  /** Violated guarantees as sentences, each with an example. Must be empty. */
  readonly violations: readonly string[];
  /** How many deployments each process serves; absent: one. Its limits grow with them. */
  readonly deployments?: number;
}

/** A fault that is caused on purpose, and the guarantees that must hold nevertheless. */
export interface Scenario {
  readonly name: string;
  /** What is done and what must hold, in one sentence. */
  readonly summary: string;
  /** Why it cannot run on this machine; null if it can. */
  readonly missing: () => string | null;
  /** With a count, the fault is caused that many times instead of as often as the form says. */
  readonly run: (form: Form, stage: Stage, count?: number) => Promise<Report>;
}

export interface ScenarioDefinition<Size> extends Omit<Scenario, "missing" | "run"> {
  readonly full: Size;
  readonly short: Size;
  readonly missing?: () => string | null;
  readonly run: (size: Size, stage: Stage) => Promise<Report>;
}

export const defineScenario = <Size>(definition: ScenarioDefinition<Size>): Scenario => ({
  name: definition.name,
  summary: definition.summary,
  missing: definition.missing ?? (() => null),
  run: (form, stage, count) => definition.run(sizeOf(definition[form], count), stage),
});

/** Only scenarios with cycles can be given a count. */
const sizeOf = <Size>(size: Size, count: number | undefined): Size =>
  count !== undefined && typeof size === "object" && size !== null && "cycles" in size
    ? { ...size, cycles: count }
    : size;

export function isReached({ value, bar }: Figure): boolean {
  if (bar === undefined) return true;
  return bar.at === "least" ? value >= bar.limit : value <= bar.limit;
}

/** Times and rates depend on the machine as much as on the service. */
const isTimed = ({ unit }: Figure) => unit === "ms" || unit === "s" || unit === "1/s";

/**
 * Why a report fails: violated guarantees and missed limits. The short form runs beside other tests on an unknown
 * machine, so its times are shown but not judged, unless they are compared with a control of the same run.
 */
export function faultsOf(report: Report, form: Form): string[] {
  const judged = report.figures.filter((figure) => form === "full" || !isTimed(figure));
  const missed = judged.filter((figure) => !isReached(figure));
  return [...report.violations, ...missed.map((figure) => `${figure.what}: ${amountOf(figure)}, ${barOf(figure)}`)];
}

export function amountOf({ value, unit }: Figure): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : 1;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`.trim();
}

export function barOf({ bar, unit }: Figure): string {
  if (bar === undefined) return "";
  return `${bar.at === "least" ? "≥" : "≤"} ${amountOf({ what: "", value: bar.limit, unit })}`;
}

/** One line for a report: what was caused, how often, and whether the guarantees held. */
export function reportLine(name: string, { figures, violations }: Report, seconds: number): string {
  const counts = figures.filter(({ unit, what }, index) => unit === "" && (index === 0 || inReport.has(what)));
  const counted = counts.map((figure) => `${amountOf(figure)} ${figure.what}`).join(", ");
  return `${name}: ${counted}; ${violations.length} promises broken; ${Math.round(seconds)} s`;
}

const inReport = new Set(["acknowledged events", "lost", "stored twice", "out of order", "failed requests"]);
