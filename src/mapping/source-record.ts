import { memberPath, pathWritten } from "../kit/json/member-path.ts";

/** The record that a mapped record was made from. */
export interface RecordSource {
  /** As the external system sent it. */
  readonly record: unknown;
  /** The source field of a member, as in `Mapping`. */
  readonly sourceOf: (field: string) => string | undefined;
}

/**
 * Mapped record → its source. Only a bad record needs its source, and many functions run before it is checked: as a
 * member, the source would be sent and stored with every good record too.
 */
const sources = new WeakMap<object, RecordSource>();

/** Remembers the source of a mapped record for as long as the mapped record is in use. Returns the mapped record. */
export function withSource(mapped: unknown, source: RecordSource): unknown {
  // Without a mapping the record is its own source.
  if (typeof mapped === "object" && mapped !== null && mapped !== source.record) sources.set(mapped, source);
  return mapped;
}

/** The source of a mapped record; undefined if it was not mapped. */
export const sourceRecordOf = (mapped: unknown): RecordSource | undefined =>
  typeof mapped === "object" && mapped !== null ? sources.get(mapped) : undefined;

/** Far more than a rule reads. */
const maxPlaces = 10;

/**
 * The places in the source record that a member was made from, such as `Lines[3].Qty` for `requests[3].requestedAmount`.
 * Only places that exist. If it is unknown which line of the source a line was made from, the list is the place.
 */
export function sourcePlaces(field: string, mapped: unknown, { record, sourceOf }: RecordSource): readonly string[] {
  const written = sourceOf(field);
  if (written === undefined) return [];
  const lines = linesOf(field, mapped);
  const paths = written.startsWith("=")
    ? namesIn(written).flatMap((steps) => [steps, [...baseOf(field, sourceOf), ...steps]])
    : pathsIn(written);
  const places = paths.map((steps) => placeOf(steps, record, lines)).filter((place) => place !== undefined);
  return [...new Set(places)].slice(0, maxPlaces);
}

type Steps = readonly (string | number)[];

/** The places in a record that a member may be made from, given its source in words. */
export const sourceSteps = (written: string): readonly Steps[] =>
  written.startsWith("=") ? namesIn(written) : pathsIn(written);

/** Several paths are joined by commas, as in `Source.written`. */
const pathsIn = (written: string): readonly Steps[] =>
  written.split(/, (?=(?:[^"]*"[^"]*")*[^"]*$)/).flatMap((one) => {
    const path = memberPath(one);
    return path === null ? [] : [path.steps];
  });

/** The names and paths in an expression. Those that are no members of the record lead to no place. */
function namesIn(expression: string): readonly Steps[] {
  const code = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\*.*?\*\//gs, " ");
  return [...code.matchAll(/(?<![\w$.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g)].map(([name]) => name.split("."));
}

/** The source list that holds the records of this field's list; the record itself if it is in no list. */
function baseOf(field: string, sourceOf: RecordSource["sourceOf"]): Steps {
  const [list] = field.split("[", 1);
  const written = list === undefined || list === field ? undefined : sourceOf(list);
  return written === undefined || written.startsWith("=") ? [] : (memberPath(written)?.steps ?? []);
}

interface Line {
  readonly index: number;
  /** How many lines the mapped list has. */
  readonly count: number;
}

/** The lines that a field stands in, outermost first. */
function linesOf(field: string, mapped: unknown): readonly Line[] {
  const lines: Line[] = [];
  let value = mapped;
  for (const step of field.split(/[.[\]]/).filter(Boolean)) {
    if (Array.isArray(value)) lines.push({ index: Number(step), count: value.length });
    value = memberOf(value, step);
  }
  return lines;
}

/** Follows a path into the source. A list on the way is read at the index of the line, which the path does not name. */
function placeOf(steps: Steps, record: unknown, lines: readonly Line[]): string | undefined {
  const place: (string | number)[] = [];
  let value = record;
  let depth = 0;
  for (const step of steps) {
    if (Array.isArray(value) && typeof step === "string" && !/^\d+$/.test(step)) {
      const index = indexIn(value, lines[depth++]);
      if (index === undefined) return pathWritten(place);
      place.push(index);
      value = value[index];
    }
    const name = Array.isArray(value) ? Number(step) : step;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    place.push(name);
    value = memberOf(value, String(name));
  }
  return place.length === 0 ? undefined : pathWritten(place);
}

/** If source and result have the same number of lines, each was made from the one with the same index. */
function indexIn(list: readonly unknown[], line: Line | undefined): number | undefined {
  if (list.length === 1) return 0;
  return line !== undefined && line.count === list.length ? line.index : undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
