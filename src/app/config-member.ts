import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair } from "yaml";

/** A chain of `<<` longer than this is no configuration; one that leads back to itself would never end. */
const deepestMerge = 20;

/** What stands under a name or number, also where it is written elsewhere and only referred to by `*name` or `<<: *name`. */
export function memberIn(document: Document, owner: Node | null, key: string | number): Node | null {
  const target = resolved(document, owner);
  const found = isSeq(target) ? target.items[Number(key)] : pairIn(document, target, key)?.value;
  return isNode(found) ? found : null;
}

/** Name and value. A map's own members hide those that it merges, and of those the first one counts. */
export function pairIn(document: Document, owner: Node | null, key: string | number, depth = 0): Pair | undefined {
  const map = resolved(document, owner);
  if (!isMap(map) || depth > deepestMerge) return undefined;
  const own = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
  if (own !== undefined) return own;
  for (const source of map.items.filter(isMerge).flatMap(({ value }) => sourcesOf(document, value))) {
    const merged = pairIn(document, source, key, depth + 1);
    if (merged !== undefined) return merged;
  }
  return undefined;
}

const resolved = (document: Document, node: Node | null): Node | null =>
  isAlias(node) ? (node.resolve(document) ?? null) : node;

// In quotes it is a name like any other.
const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.type === "PLAIN" && key.value === "<<";

function sourcesOf(document: Document, value: unknown): Node[] {
  const one = isNode(value) ? resolved(document, value) : null;
  if (one === null) return [];
  return isSeq(one) ? one.items.filter(isNode) : [one];
}
