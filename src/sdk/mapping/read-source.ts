import type { Read } from "./run.ts";
import type { SourcePath } from "./source-path.ts";

type Members = Readonly<Record<string, unknown>>;

/** The path as a function; `level` is how many lists the rule stands in. Null and empty texts count as absent. */
export function readSource({ climbs, steps }: SourcePath, level: number): Read {
  const follow = fromRecord(steps);
  if (climbs === 0) return follow;
  const at = level - climbs;
  return (_record, run) => follow(run.records[at], run);
}

function fromRecord(steps: readonly (string | number)[]): Read {
  const [first, second] = steps;
  if (first === undefined) return present;
  const one = stepInto(first);
  // Written out for the usual lengths: a loop over steps takes twice as long, a hundred thousand times.
  if (second === undefined) return (record) => present(one(record));
  const two = stepInto(second);
  if (steps.length === 2) return (record) => present(two(one(record)));
  const rest = steps.slice(2).map(stepInto);
  return (record) => present(rest.reduce((value, next) => next(value), two(one(record))));
}

const present = (value: unknown): unknown => (value === null || value === "" ? undefined : value);

function stepInto(step: string | number): (value: unknown) => unknown {
  if (typeof step === "number") return (value) => (Array.isArray(value) ? value[step] : undefined);
  const isInherited = step in Object.prototype;
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) {
      // A reader of XML makes a list of two children and no list of one; the other way round is as common.
      return value.length === 1 ? memberOf(value[0], step) : undefined;
    }
    // `constructor` and its like are members only where the record itself has them.
    if (isInherited && !Object.hasOwn(value, step)) return undefined;
    // An object, as asked above.
    return (value as Members)[step];
  };
}

const memberOf = (value: unknown, name: string): unknown =>
  // It has this member, as just asked.
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Members)[name] : undefined;
