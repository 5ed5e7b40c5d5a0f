import { type SourceName, sourceNames } from "./sources.ts";

export interface PlainPath {
  readonly source: SourceName;
  readonly steps: readonly string[];
}

const name = "(?:[\\p{L}_][\\p{L}\\p{N}_]*|`[^`]+`)";
const pathPattern = new RegExp(`^${name}(?:\\.${name})*$`, "u");
const namePattern = new RegExp(name, "gu");
/** Words that JSONata does not read as names. */
const reserved = new Set(["and", "or", "in", "true", "false", "null", "function"]);

const isSource = (text: string): text is SourceName => (sourceNames as readonly string[]).includes(text);

/** Recognises expressions that only name members, `externalData.customer.name`; null for all others. */
export function plainPath(expression: string): PlainPath | null {
  const text = expression.trim();
  if (!pathPattern.test(text)) return null;
  const written = text.match(namePattern) ?? [];
  if (written.some((step) => reserved.has(step))) return null;
  const [source, ...steps] = written.map((step) => (step.startsWith("`") ? step.slice(1, -1) : step));
  return source !== undefined && isSource(source) ? { source, steps } : null;
}

/**
 * Reads a member path as JSONata would, a hundred times faster: rows come by the hundred thousand,
 * and nearly every column is nothing but a path.
 */
export function readPath(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) return readThroughLists(root, steps);
    value = Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
  }
  return value;
}

/** A list on the way stands for each of its elements: `lines.lot` is the lots of all lines. */
function readThroughLists(root: unknown, steps: readonly string[]): unknown {
  let values: unknown[] = [root];
  for (const step of steps) values = values.flat(1).flatMap((value) => membersNamed(step, value));
  const found = values.length === 1 && Array.isArray(values[0]) ? values[0] : values.flat(1);
  return found.length > 1 || found === values[0] ? found : found[0];
}

function membersNamed(step: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => membersNamed(step, element));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return [];
  // In a list of its own, so that a member that is a list stays one until the next step opens it.
  return [(value as Record<string, unknown>)[step]];
}
