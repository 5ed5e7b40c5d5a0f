/** The value at a path; undefined where there is none. Only members of the data itself, never what a prototype brings. */
export function readPath(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const member of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, member)) return undefined;
    // An own member of an object, as was just asked.
    current = (current as Record<string, unknown>)[member];
  }
  return current;
}

export interface Element {
  readonly value: unknown;
  /** What the list stands in: the element of the list above it, or the whole input. */
  readonly parent: unknown;
}

/** All elements at a path, lists on the way walked through in order. */
export function readElements(value: unknown, path: readonly string[], parent: unknown = value): Element[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) => readElements(one, path, path.length === 0 ? parent : one));
  if (path.length === 0) return value === undefined || value === null ? [] : [{ value, parent }];
  const [first = "", ...rest] = path;
  return readElements(readPath(value, [first]), rest, parent);
}
