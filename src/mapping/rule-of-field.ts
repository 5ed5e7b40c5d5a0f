/** A rule of a mapping, and the names that lead to it. */
export interface FoundRule {
  readonly path: readonly string[];
  readonly rule: unknown;
}

/**
 * The rule that makes a member such as `requests[0].requestedAmount`, or the nearest enclosing member that has one;
 * null if no rule makes it.
 */
export function ruleOfField(map: unknown, field: string): FoundRule | null {
  const names = field.split(/[.[\]]/).filter((name) => name !== "" && !/^\d+$/.test(name));
  let found: FoundRule | null = null;
  let members = map;
  let path: readonly string[] = [];
  for (const name of names) {
    if (!isObject(members) || !Object.hasOwn(members, name)) return found;
    const rule = members[name];
    path = [...path, name];
    found = { path, rule };
    // A list has the rules of its elements in `map`; a plain object has those of its members in itself.
    const isList = isObject(rule) && Object.hasOwn(rule, "map");
    members = isList ? rule["map"] : rule;
    if (isList) path = [...path, "map"];
  }
  return found;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
