import { Type } from "typebox";
import type { DateSettings } from "../../operation/dates.ts";
import { type Expression, isTimeOut } from "../expressions/expression.ts";
import { complain, type Read, type Run, type Site, type Step, shown } from "../run.ts";
import type { SourceShape } from "../source/source-shape.ts";

/** The state of one compilation. */
export interface Compiling {
  readonly dates: DateSettings;
  readonly problems: RuleProblem[];
  /** Field with empty brackets → the source field, for error texts. */
  readonly sources: Map<string, string>;
  /** Whether members that the contract requires may come from elsewhere. */
  readonly isPartial: boolean;
  /** Whether the result is a record of the contract, and not what an external system gets. */
  readonly isOfContract: boolean;
  /** The number of expressions compiled so far. */
  expressionCount: number;
}

/** The place of a rule: in the result, in the mapping, and in lists. */
export interface Place {
  /** `requests[].requestedAmount`. */
  readonly field: string;
  /** `requests.map.requestedAmount`. */
  readonly path: string;
  /** The source path of every enclosing list, outermost first; the whole record is the empty path. */
  readonly bases: readonly string[];
  /** The known shapes of the records of these lists, in the same order. */
  readonly shapes: readonly SourceShape[];
}

/** A compiled rule: runs at once, or later if an expression has to be evaluated. */
export type Rule = { readonly read: Read } | { readonly later: LaterRule };

/** Whether the records that the rule reads are known by samples only. */
export const isSampled = ({ shapes }: Place): boolean => shapes.some((shape) => shape?.isSampled === true);

export const inside = (place: Place, key: string): Place => ({ ...place, path: joined(place.path, key) });
export const member = (place: Place, name: string): Place => ({
  ...inside(place, name),
  field: joined(place.field, name),
});

export const joined = (before: string, name: string): string => (before === "" ? name : `${before}.${name}`);

/** Limit of a value's length: far more than any order has. */
const maxValueLength = 1 << 20;
const longestRest = 1 << 14;

/** Evaluates an expression for one record, then applies the steps of the rule. */
type LaterRule = (record: unknown, run: Run) => Promise<unknown>;

export function laterRule(needs: {
  readonly expression: Expression;
  readonly site: Site;
  readonly level: number;
  readonly finish: Step;
}): LaterRule {
  const { expression, site, level, finish } = needs;
  // One record that takes too long costs a second. A hundred thousand of them must not cost a day: each further
  // timeout doubles the number of records that are skipped without a try.
  let timeOuts = 0;
  let resting = 0;
  return async (record, run) => {
    if (resting > 0) {
      resting--;
      return complain(site, run, "not computed: the expression took too long for earlier records; simplify it");
    }
    try {
      const variables = { root: run.records[0], parent: level === 0 ? undefined : run.records[level - 1] };
      const value = made(await expression.evaluate(record, variables));
      timeOuts = 0;
      return value === undefined || value === null || value === ""
        ? finish(undefined, run, record)
        : finish(value, run, record);
    } catch (error) {
      if (isTimeOut(error)) resting = timeOuts++ === 0 ? 0 : Math.min(2 ** timeOuts, longestRest);
      return complain(site, run, `the expression failed: ${messageOf(error)}`);
    }
  };
}

function made(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return withoutFunctions("", value);
  // A copy: JSONata's lists have internal marks, and its functions keep references to everything they have seen.
  const text = JSON.stringify(value, withoutFunctions);
  if (text.length > maxValueLength) throw new Error("its value is too long");
  return JSON.parse(text);
}

function withoutFunctions(_name: string, value: unknown): unknown {
  const isOwn =
    typeof value === "object" && value !== null && ("_jsonata_function" in value || "_jsonata_lambda" in value);
  if (isOwn || typeof value === "function") throw new Error("its value is a function");
  return value;
}

const messageOf = (error: unknown): string => {
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : undefined;
  return typeof message === "string" ? message.slice(0, 200) : shown(error);
};

/** One mistake in the rules themselves. */
export interface RuleProblem {
  /** Path of the rule inside the mapping: `requests.map.requestedAmount.round`. */
  readonly path: string;
  readonly text: string;
  /** The position inside the expression, both counted from 1. */
  readonly position?: { readonly line: number; readonly column: number };
}

/** Thrown with all problems of a mapping at once. */
export class MappingError extends Error {
  readonly problems: readonly RuleProblem[];

  constructor(problems: readonly RuleProblem[]) {
    super(problems.map(ruleProblemText).join("\n"));
    this.name = "MappingError";
    this.problems = problems;
  }
}

/** The problem in one line: its place and its text. */
export function ruleProblemText({ path, text, position }: RuleProblem): string {
  const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
  return `${path === "" ? "mapping" : path}${place}: ${text}`;
}

/** The schema of a mapping in a connector's options. The rules themselves are checked when they are compiled. */
export const mappingSchema = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: "object",
  description:
    "Field rules: member of the contract → path into the source record, `= JSONata expression`, or an object such as " +
    '{ from: Qty, number: { decimal: "," }, round: down }.',
});
