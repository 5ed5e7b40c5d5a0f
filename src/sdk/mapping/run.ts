import type { MappedProblem } from "./mapping.ts";

/** What one application of a mapping carries along. */
export interface Run {
  readonly problems: MappedProblem[];
  /** The record at each depth of lists; 0 is the whole one. */
  readonly records: unknown[];
  /** Which element of each list around is being mapped. */
  readonly indexes: number[];
  /** Expressions that still have to be evaluated, one after the other. */
  readonly jobs: (() => Promise<void>)[];
}

/** Where a rule stands. */
export interface Site {
  /** `requests[].requestedAmount`, to be filled with the indexes of the run. */
  readonly field: string;
  /** The source field or expression, for a person. */
  readonly source: string | undefined;
}

export type Read = (record: unknown, run: Run) => unknown;
/** Works on a value that is there; undefined is a value that is not, or that could not be made. */
export type Step = (value: unknown, run: Run, record: unknown) => unknown;

/** More say nothing new, and a record may have a hundred thousand lines. */
const maxProblems = 100;

export const startRun = (source: unknown): Run => ({ problems: [], records: [source], indexes: [], jobs: [] });

/** Notes that a member cannot be made, and leaves it out. */
export function complain(site: Site, run: Run, text: string): undefined {
  if (run.problems.length >= maxProblems) return undefined;
  let depth = 0;
  const field = site.field.replace(/\[\]/g, () => `[${run.indexes[depth++] ?? 0}]`);
  run.problems.push({ field, text, ...(site.source === undefined ? {} : { source: site.source }) });
  return undefined;
}

/** A value as a problem shows it. */
export function shown(value: unknown): string {
  const text = typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
