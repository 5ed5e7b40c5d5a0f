/** The state of one application of a mapping. */
export interface Run {
  readonly problems: MappedProblem[];
  /** The record at each depth of lists; 0 is the whole record. */
  readonly records: unknown[];
  /** The index of the current element in each enclosing list. */
  readonly indexes: number[];
  /** Expressions that still have to be evaluated, and parts of long lists, one after the other. */
  readonly jobs: (() => Promise<void>)[];
  /** Whether parts of a long list may be mapped later; not if the value is needed at once. */
  readonly mayWait: boolean;
}

/** The place of a rule. */
export interface Site {
  /** `requests[].requestedAmount`, to be filled with the indexes of the run. */
  readonly field: string;
  /** The source field or expression, for error texts. */
  readonly source: string | undefined;
}

export type Read = (record: unknown, run: Run) => unknown;
/** Converts an existing value; undefined means that there is no value, or that it could not be converted. */
export type Step = (value: unknown, run: Run, record: unknown) => unknown;

/** Limit of problems per record: more would repeat the same, and a record may have a hundred thousand lines. */
const maxProblems = 100;

export const startRun = (source: unknown): Run => ({
  ...{ problems: [], records: [source], indexes: [], jobs: [] },
  mayWait: true,
});

/** Reports that a member cannot be made, and leaves it out. */
export function complain(site: Site, run: Run, text: string): undefined {
  if (run.problems.length >= maxProblems) return undefined;
  let depth = 0;
  const field = site.field.replace(/\[\]/g, () => `[${run.indexes[depth++] ?? 0}]`);
  run.problems.push({ field, text, ...(site.source === undefined ? {} : { source: site.source }) });
  return undefined;
}

/** A value as error texts show it. */
export function shown(value: unknown): string {
  const text = typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The result of a mapping for one record. */
export interface Mapped {
  /** Not yet checked against the contract. */
  readonly value: unknown;
  /** The problems. A record with a problem must not be used, because a member is missing. */
  readonly problems: readonly MappedProblem[];
}

export interface MappedProblem {
  /** The place in the result, as a person writes it: `requests[3].requestedAmount`. */
  readonly field: string;
  /** What was found, and how to correct the rule or the data. */
  readonly text: string;
  /** The source field or expression of the member. */
  readonly source?: string;
}

/** Compiled field rules. */
export interface Mapping {
  /** Synchronous if all rules are paths; a promise if there is an expression or a long list. */
  readonly apply: (source: unknown) => Mapped | Promise<Mapped>;
  /** The source field that feeds a member: `requests[3].requestedAmount` → `Lines.Qty`. */
  readonly sourceOf: (field: string) => string | undefined;
}

/**
 * The result of a mapping, with its problems at the places of the missing members. The check against the contract
 * finds them there, and quarantines this one record instead of serving it without the member.
 */
export function withProblems({ value, problems }: Mapped): unknown {
  return problems.reduce<unknown>((spoiled, { field, text }) => {
    const steps = field.split(/[.[\]]/).filter(Boolean);
    // Customer data may be an object, so only other values are refused there.
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
