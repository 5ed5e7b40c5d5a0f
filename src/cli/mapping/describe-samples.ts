import { indentJson } from "../indent-json.ts";
import { oneLine, textTable } from "../text-table.ts";
import type { MappedSample } from "./run-mapping.ts";

const shownProblems = 50;

/** The first records as the platform would get them, and every problem beside its source field. */
export function describeSamples(samples: readonly MappedSample[], shownRecords: number): string {
  const shown = samples
    .slice(0, shownRecords)
    .map(({ record }, index) => `Record ${index + 1}\n${indentJson(JSON.stringify(record ?? null), "  ")}`);
  const rows = samples.flatMap(({ problems }, index) =>
    problems.map(({ field, text, source }) => [String(index + 1), source ?? "–", field, text]),
  );
  const bad = samples.filter(({ problems }) => problems.length > 0).length;
  const table = textTable([["Record", "Source field", "Member", "Problem"], ...rows.slice(0, shownProblems)]);
  const more = rows.length > shownProblems ? [`  … and ${rows.length - shownProblems} more`] : [];
  const count = `${samples.length} ${samples.length === 1 ? "record" : "records"}`;
  const end = bad === 0 ? `${count}, all as the contract wants them.` : `${count}, ${bad} of them with problems.`;
  return [...shown, ...(rows.length === 0 ? [] : [`Problems\n${table}`, ...more]), end].join("\n\n");
}

export const valueShown = (value: unknown): string => {
  const text = oneLine(JSON.stringify(value) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
