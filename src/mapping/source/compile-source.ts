import { type Compiling, inside, joined, type Place } from "../compile/compiling.ts";
import type { Read } from "../run.ts";
import { pathWritten, readSource, type SourcePath, sourcePath } from "./read-source.ts";
import { type Followed, type SourceShape, stepShape } from "./source-shape.ts";

export interface Source {
  readonly read: Read;
  /** The whole path from the outermost record, for error texts. */
  readonly written: string;
  /** The known shape of the value. */
  readonly shape: SourceShape;
}

/** Compiles a configured path to a function; undefined if it is not a path, which is then reported. */
export function compileSource(text: unknown, place: Place, { problems }: Compiling): Source | undefined {
  const path = typeof text === "string" ? sourcePath(text) : null;
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
function shapeAt({ steps, quoted = [] }: SourcePath, record: SourceShape): Followed {
  let shape = record;
  for (const [index, step] of steps.entries()) {
    const next: Followed = quoted.includes(index) ? { shape: null } : stepShape(shape, step);
    if ("problem" in next) {
      const isUnknown = typeof step === "string" && !next.problem.startsWith("is ");
      const before = pathWritten(steps.slice(0, index)) || "the record";
      const inQuotes = isUnknown
        ? `. A name that is not in the contract is written in quotes: ${pathWritten(steps.slice(0, index))}["${step}"]`
        : "";
      return { problem: `${isUnknown ? pathWritten(steps) : before}: ${next.problem}${inQuotes}` };
    }
    shape = next.shape;
  }
  return { shape };
}

/** Several paths; the first one with a value counts. */
export function compileFirst(list: readonly unknown[], place: Place, compiling: Compiling): Source | undefined {
  if (list.length === 0) compiling.problems.push({ path: place.path, text: "names no path" });
  const sources = list.map((one, index) => compileSource(one, inside(place, String(index)), compiling));
  const known = sources.filter((source) => source !== undefined);
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
