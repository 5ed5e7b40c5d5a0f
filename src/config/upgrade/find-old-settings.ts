import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import type { ConfigPath } from "../document/config-error.ts";
import { type OldSetting, oldSettings } from "./old-settings.ts";

/** One old spelling of a file. */
export interface FoundSetting {
  readonly setting: OldSetting;
  readonly path: ConfigPath;
  readonly key: Scalar;
  readonly pair: Pair;
  readonly owner: YAMLMap;
}

/** Where an old spelling stands in a document; once also where `*name` and `<<` lead to it from several places. */
export function findOldSetting(document: Document, setting: OldSetting): FoundSetting[] {
  const steps = setting.at.replaceAll("[]", ".[]").split(".");
  const found = new Map<Pair, FoundSetting>();
  const visit = (node: unknown, index: number, path: ConfigPath): void => {
    const target = resolved(document, node);
    const step = steps[index] ?? "";
    if (isSeq(target) && step === "[]") {
      for (const [position, item] of target.items.entries()) visit(item, index + 1, [...path, position]);
    }
    if (!isMap(target)) return;
    for (const { pair, owner, key } of pairsOf(document, target)) {
      const name = String(key.value);
      if (step !== "*" && step !== name) continue;
      const here = [...path, name];
      const isConnector = setting.type !== undefined && here.length === 2 && here[0] === "connectors";
      if (isConnector && typeOf(document, pair.value) !== setting.type) continue;
      if (index < steps.length - 1) visit(pair.value, index + 1, here);
      else if (isOld(document, setting, pair)) found.set(pair, { setting, path: here, key, pair, owner });
    }
  };
  visit(document.contents, 0, []);
  return [...found.values()];
}

export const findOldSettings = (document: Document): FoundSetting[] =>
  oldSettings.flatMap((setting) => findOldSetting(document, setting));

/** Without a new name only some values are old. */
function isOld(document: Document, { to, values = {}, lift }: OldSetting, { value }: Pair): boolean {
  if (to !== undefined) return true;
  const target = resolved(document, value);
  // A list or a text of that name is something else, and the schema says so.
  if (lift !== undefined) return target === null || isMap(target) || (isScalar(target) && target.value === null);
  return isScalar(target) && Object.hasOwn(values, String(target.value));
}

const resolved = (document: Document, node: unknown): Node | null => {
  if (!isNode(node)) return null;
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
};

/** Deeper chains of `<<` are no configuration; one that leads back to itself would never end. */
const deepestMerge = 20;

/** Own members, and those that are merged in. */
function pairsOf(
  document: Document,
  map: YAMLMap,
  depth = 0,
): { readonly pair: Pair; readonly owner: YAMLMap; readonly key: Scalar }[] {
  return map.items.flatMap((pair) => {
    const { key } = pair;
    if (!isScalar(key)) return [];
    if (key.value !== "<<" || depth > deepestMerge) return [{ pair, owner: map, key }];
    const merged = resolved(document, pair.value);
    const sources = isSeq(merged) ? merged.items.map((item) => resolved(document, item)) : [merged];
    return sources.flatMap((source) => (isMap(source) ? pairsOf(document, source, depth + 1) : []));
  });
}

function typeOf(document: Document, connector: unknown): unknown {
  const target = resolved(document, connector);
  if (!isMap(target)) return undefined;
  const value = pairsOf(document, target).find(({ key }) => key.value === "type")?.pair.value;
  const scalar = resolved(document, value);
  return isScalar(scalar) ? scalar.value : undefined;
}
