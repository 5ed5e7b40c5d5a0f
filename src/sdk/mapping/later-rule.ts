import { type Expression, isTimeOut } from "./expression.ts";
import { complain, type Run, type Site, type Step, shown } from "./run.ts";

/** Far more than any order has. */
const maxValueLength = 1 << 20;
const longestRest = 1 << 14;

/** Evaluates an expression for one record and finishes its value like that of any other rule. */
export type LaterRule = (record: unknown, run: Run) => Promise<unknown>;

export function laterRule(needs: {
  readonly expression: Expression;
  readonly site: Site;
  readonly level: number;
  readonly finish: Step;
}): LaterRule {
  const { expression, site, level, finish } = needs;
  // One record that takes too long costs a second. A hundred thousand of them in a row must not cost a day: each further
  // time-out doubles how many records are kept back without a try.
  let timeOuts = 0;
  let resting = 0;
  return async (record, run) => {
    if (resting > 0) {
      resting--;
      return complain(site, run, "not computed: the expression took too long for the records before; make it simpler");
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
  // A copy: JSONata's lists carry marks of its own, and its functions hold on to everything they have seen.
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
