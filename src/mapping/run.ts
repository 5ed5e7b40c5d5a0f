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

/** What a mapping made of one record. */
export interface Mapped {
  /** Before any check against the contract. */
  readonly value: unknown;
  /** What could not be done. A record with a problem is not to be used: a member of it is missing. */
  readonly problems: readonly MappedProblem[];
}

export interface MappedProblem {
  /** Where in the result, as a person writes it: `requests[3].requestedAmount`. */
  readonly field: string;
  /** What was found, and how the rule or the data can be mended. */
  readonly text: string;
  /** The source field, or the expression, that feeds it. */
  readonly source?: string;
}

/** Field rules, compiled. */
export interface Mapping {
  /** At once where all rules are paths; a promise where an expression takes part. */
  readonly apply: (source: unknown) => Mapped | Promise<Mapped>;
  /** The source field that feeds a member: `requests[3].requestedAmount` → `Lines.Qty`. */
  readonly sourceOf: (field: string) => string | undefined;
}

/**
 * What a mapping made, with everything it could not do put where the member is missing: whoever checks the record
 * against the contract finds it there, and keeps back this one record instead of serving it without the member.
 */
export function withProblems({ value, problems }: Mapped): unknown {
  return problems.reduce<unknown>((spoiled, { field, text }) => {
    const steps = field.split(/[.[\]]/).filter(Boolean);
    // Customer's data may be an object, so only what is none is refused there.
    const isData = /externaldata$/i.test(steps.at(-1) ?? "");
    return withMember(spoiled, steps, isData ? false : { problem: text });
  }, value);
}

function withMember(value: unknown, steps: readonly string[], member: unknown): unknown {
  const [first, ...rest] = steps;
  if (first === undefined) return member;
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => (index === Number(first) ? withMember(one, rest, member) : one));
  }
  const members = typeof value === "object" && value !== null ? value : {};
  return { ...members, [first]: withMember(Reflect.get(members, first), rest, member) };
}
