export interface JsonDifference {
  /** Where, as a person writes it: `[0].record.requests[2].itemNumber`. */
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Where two JSON values differ; the order of members does not count. */
export function jsonDifferences(expected: unknown, found: unknown, path = ""): JsonDifference[] {
  if (!isObject(expected) || !isObject(found) || Array.isArray(expected) !== Array.isArray(found)) {
    return Object.is(expected, found) ? [] : [{ path, expected, found }];
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) => {
    const inner = Array.isArray(expected) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    return jsonDifferences(own(expected, name), own(found, name), inner);
  });
}

const own = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
