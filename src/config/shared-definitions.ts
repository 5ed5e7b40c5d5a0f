type Node = { readonly [name: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/** Shorter parts do not get a definition. */
const leastLength = 300;
const leastOften = 3;

/**
 * Returns a JSON Schema in which repeated parts stand once, under `$defs`. The rules for answers belong to every
 * request of every operation: written out each time, the schema would be megabytes long, and editors would take seconds
 * to load it.
 */
export function withSharedDefinitions(schema: Node): Node {
  const counts = new Map<string, number>();
  count(schema);
  const names = new Map<string, string>();
  const definitions: Record<string, unknown> = {};
  const made = shared(schema, "", true);
  return { ...made, $defs: definitions };

  function count(node: unknown): void {
    if (Array.isArray(node)) for (const one of node) count(one);
    if (!isNode(node)) return;
    const text = JSON.stringify(node);
    const seen = (counts.get(text) ?? 0) + 1;
    counts.set(text, seen);
    // Parts inside a repeated part are not counted again, because the outer part gets the name.
    if (seen >= leastOften && text.length >= leastLength) return;
    for (const child of Object.values(node)) count(child);
  }

  function shared(node: Node, name: string, isRoot = false): Node {
    const text = JSON.stringify(node);
    // A map of members is not a schema, and cannot be referred to.
    const isSchema =
      typeof node["type"] === "string" || Array.isArray(node["type"]) || "anyOf" in node || "oneOf" in node;
    if (isRoot || !isSchema || text.length < leastLength || (counts.get(text) ?? 0) < leastOften) return inner(node);
    const known = names.get(text);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const own = freeName(name === "" ? "part" : name);
    names.set(text, own);
    definitions[own] = inner(node);
    return { $ref: `#/$defs/${own}` };
  }

  function inner(node: Node): Node {
    const part = (child: unknown, name: string): unknown => {
      if (Array.isArray(child)) return child.map((one) => (isNode(one) ? shared(one, name) : one));
      return isNode(child) ? shared(child, name) : child;
    };
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, part(child, name)]));
  }

  function freeName(name: string): string {
    for (let number = 1; ; number++) {
      const own = number === 1 ? name : `${name}${number}`;
      if (!Object.hasOwn(definitions, own)) return own;
    }
  }
}
