import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { amountOf, barOf, type Form, isReached, type Report, type Scenario } from "./scenario.ts";

const file = new URL("../../docs/measurements/reliability.md", import.meta.url);
const begin = "<!-- figures -->";
const end = "<!-- end of figures -->";

export interface PlayedScenario {
  readonly scenario: Scenario;
  readonly form: Form;
  readonly report: Report;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/**
 * Writes the figures of these scenarios into docs/measurements/reliability.md and leaves those of the others unchanged,
 * in a fixed order.
 */
export function writeFigures(played: readonly PlayedScenario[], order: readonly Scenario[]): void {
  const text = readFileSync(file, "utf8");
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from)
    throw new Error(`docs/measurements/reliability.md lacks the marks ${begin} and ${end}`);
  const sections = new Map(
    text
      .slice(from, to)
      .split(/^(?=## )/m)
      .filter((section) => section.startsWith("## "))
      .map((section) => [section.slice(3, section.indexOf("\n")).trim(), section.trim()]),
  );
  for (const one of played) sections.set(one.scenario.name, sectionOf(one));
  const ordered = order.flatMap(({ name }) => sections.get(name) ?? []);
  writeFileSync(file, `${text.slice(0, from)}\n\n${ordered.join("\n\n")}\n\n${text.slice(to)}`);
}

function sectionOf({ scenario, form, report, faults, seconds }: PlayedScenario): string {
  const rows = report.figures.map((figure) => {
    const reached = figure.bar === undefined ? "" : isReached(figure) ? "yes" : "**no**";
    return `| ${figure.what} | ${amountOf(figure)} | ${barOf(figure)} | ${reached} |`;
  });
  const broken = faults.map((fault) => `- ${fault.replaceAll("\n", " ").slice(0, 400)}`);
  return [
    `## ${scenario.name}\n`,
    `${scenario.summary}\n`,
    `Measured on ${new Date().toISOString().slice(0, 10)}, ${form} form, in ${Math.round(seconds)} s: ${machine()}.\n`,
    "| Figure | Measured | Bar | Reached |\n|---|---:|---:|---|",
    ...rows,
    ...(broken.length === 0 ? [] : ["\nWhat fell short:\n", ...broken]),
  ].join("\n");
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `Node ${process.versions.node}, ${availableParallelism()} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GB`;
}
