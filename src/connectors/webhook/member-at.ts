/** What stands at a path such as `status.code` or `errors.0.code` of a JSON value; undefined where there is nothing. */
export function memberAt(value: unknown, path: string): unknown {
  let current = value;
  for (const name of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    // An object, as was just seen; its members may be anything.
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}
