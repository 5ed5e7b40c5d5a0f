import { type MemberPath, memberPath, pathWritten, readSteps } from "../../kit/json/member-path.ts";
import { withNext } from "../../kit/nearest-name.ts";
import { type Compiling, inside, isSampled, joined, type Place, type RuleProblem } from "../compile/compiling.ts";
import type { Read } from "../run.ts";
import { type Followed, type SourceShape, stepShape } from "./source-shape.ts";

type Members = Readonly<Record<string, unknown>>;

/** Compiles a path to a function; `level` is the number of enclosing lists. Null and empty texts count as missing. */
export function readSource(path: MemberPath, level: number): Read {
  const { climbs } = path;
  const follow = fromRecord(path);
  if (climbs === 0) return follow;
  const at = level - climbs;
  return (_record, run) => follow(run.records[at], run);
}

function fromRecord(path: MemberPath): Read {
  const { steps } = path;
  const [first, second] = steps;
  if (first === undefined) return present;
  const one = stepInto(first);
  // Unrolled for the usual lengths: a loop over steps takes twice as long, and this runs a hundred thousand times.
  if (second === undefined) return (record) => present(one(record));
  const two = stepInto(second);
  const rest = steps.slice(2).map(stepInto);
  // A name with dots, such as `@odata.etag`, is tried only when its parts lead to no value.
  return (record) => {
    const found = rest.reduce((value, next) => next(value), two(one(record)));
    return present(found === undefined ? readSteps(record, path) : found);
  };
}

const present = (value: unknown): unknown => (value === null || value === "" ? undefined : value);

function stepInto(step: string | number): (value: unknown) => unknown {
  if (typeof step === "number") return (value) => (Array.isArray(value) ? value[step] : undefined);
  const isInherited = step in Object.prototype;
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) {
      // A list of one element counts as the element: some systems send a single child as a list, others as an object.
      return value.length === 1 ? memberOf(value[0], step) : undefined;
    }
    // Own members only: `constructor` and similar names must not reach the prototype.
    if (isInherited && !Object.hasOwn(value, step)) return undefined;
    // It is an object, as checked above.
    return (value as Members)[step];
  };
}

const memberOf = (value: unknown, name: string): unknown =>
  // The value has this member, as just checked.
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Members)[name] : undefined;

export interface Source {
  readonly read: Read;
  /** The whole path from the outermost record, for error texts. */
  readonly written: string;
  /** The known shape of the value. */
  readonly shape: SourceShape;
}

/** Compiles a configured path to a function; undefined if it is not a path, which is then reported. */
export function compileSource(text: unknown, place: Place, { problems }: Compiling): Source | undefined {
  const path = typeof text === "string" ? memberPath(text) : null;
  if (path === null) {
    const given = JSON.stringify(text) ?? String(text);
    problems.push({
      path: place.path,
      text: `${given} is not a path; write Customer.Name, lines[0].qty or ["odd name"]`,
    });
    return undefined;
  }
  const level = place.bases.length - 1;
  const base = place.bases[level - path.climbs];
  if (base === undefined) {
    problems.push({ path: place.path, text: `${text} leaves the record; ^ is only for rules inside each` });
    return undefined;
  }
  const steps = pathWritten(path.steps);
  const written = steps === "" || steps.startsWith("[") ? base + steps : joined(base, steps);
  const shape = shapeAt(path, place.shapes[level - path.climbs] ?? null);
  if ("problem" in shape) {
    problems.push({ path: place.path, text: shape.problem });
    return undefined;
  }
  return { read: readSource(path, level), written, shape: shape.shape };
}

/** The known shape at a path. A quoted name is always accepted: not everything that is sent is in the contract. */
export function shapeAt({ steps, quoted = [] }: MemberPath, record: SourceShape): Followed {
  let shape = record;
  for (const [index, step] of steps.entries()) {
    const isSample = shape?.isSampled === true;
    const isAccepted = quoted.includes(index) && !(isSample && mustBeQuoted.test(String(step)));
    const next: Followed = isAccepted ? { shape: null } : stepShape(shape, indexOr(step));
    if ("problem" in next) {
      // A name with dots, such as `@odata.etag`, is read as one.
      if (isSample && hasLongName(shape, steps.slice(index))) return { shape: null };
      const isUnknown = typeof step === "string" && !next.problem.startsWith("is ");
      const before = pathWritten(steps.slice(0, index)) || "the record";
      const problem = `${isUnknown ? pathWritten(steps) : before}: ${next.problem}`;
      if (!isUnknown || isSample) return { problem };
      const inQuotes = `${pathWritten(steps.slice(0, index))}["${step}"]`;
      return { problem: withNext(problem, `A name that is not in the contract is written in quotes: ${inQuotes}`) };
    }
    shape = next.shape;
  }
  return { shape };
}

/** Quotes around such a name are necessary. Around others they say that the name is right, though no sample has it. */
const mustBeQuoted = /[.[\]"^=]|^$/;

const hasLongName = (shape: SourceShape, steps: readonly (string | number)[]): boolean =>
  steps.some((_, end) => Object.hasOwn(shape?.properties ?? {}, steps.slice(0, end + 1).join(".")));

/** `lines.0.qty` is another spelling of `lines[0].qty`. */
const indexOr = (step: string | number): string | number => (/^\d{1,9}$/.test(String(step)) ? Number(step) : step);

/** Several paths; the first one with a value counts. */
export function compileFirst(list: readonly unknown[], place: Place, compiling: Compiling): Source | undefined {
  if (list.length === 0) compiling.problems.push({ path: place.path, text: "names no path" });
  const problems: RuleProblem[] = [];
  const own = { ...compiling, problems };
  const sources = list.map((one, index) => compileSource(one, inside(place, String(index)), own));
  const known = sources.filter((source) => source !== undefined);
  // Of several names, sample records need to have only one.
  if (!isSampled(place) || known.length === 0) compiling.problems.push(...problems);
  if (known.length < list.length || known.length === 0) return undefined;
  return {
    read: (record, run) => {
      for (const { read } of known) {
        const value = read(record, run);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    written: known.map(({ written }) => written).join(", "),
    shape: null,
  };
}

/** Several paths as one text; missing values are left out, and the elements of lists are joined one by one. */
export function compileJoin(list: unknown, between: unknown, place: Place, compiling: Compiling): Source | undefined {
  if (!Array.isArray(list) || (between !== undefined && typeof between !== "string")) {
    compiling.problems.push({ path: place.path, text: 'write join: [FirstName, LastName] and, if needed, with: " "' });
    return undefined;
  }
  const sources = list.map((one, index) => compileSource(one, inside(place, String(index)), compiling));
  const known = sources.filter((source) => source !== undefined);
  if (known.length < list.length) return undefined;
  const sign = between ?? " ";
  return {
    read: (record, run) => {
      let joinedText: string | undefined;
      for (const { read } of known) {
        const value = read(record, run);
        if (value === undefined) continue;
        const text = Array.isArray(value)
          ? value.filter((one) => one !== null && one !== "").join(sign)
          : String(value);
        joinedText = joinedText === undefined ? text : joinedText + sign + text;
      }
      return joinedText;
    },
    written: known.map(({ written }) => written).join(", "),
    shape: null,
  };
}
