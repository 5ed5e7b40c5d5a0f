/**
 * What stands at a path such as `status.code`, `errors[0].code`, `errors.0.code` or `["status"].code` of a JSON value; undefined where
 * there is nothing. A member whose name holds dots, such as `@odata.nextLink`, is found by its whole name.
 */
export function memberAt(value: unknown, path: string): unknown {
  if (path === "") return value;
  const names = path.replace(/\[(?:(\d+)|"([^"]*)")\]/g, ".$1$2").split(".");
  return walk(value, names[0] === "" ? names.slice(1) : names);
}

function walk(value: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return value;
  if (typeof value !== "object" || value === null) return undefined;
  for (let taken = 1; taken <= names.length; taken++) {
    const name = names.slice(0, taken).join(".");
    if (!Object.hasOwn(value, name)) continue;
    // An object, as was just seen; its members may be anything.
    return walk((value as Record<string, unknown>)[name], names.slice(taken));
  }
  return undefined;
}
