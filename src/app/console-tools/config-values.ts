import { type Config, configSchema } from "../../config/config-schema.ts";
import { configDocument } from "../../config/document/config-document.ts";
import { configShape, isPlainObject, withDefaults } from "../../config/document/config-shape.ts";
import { forwardedTopic } from "../../config/sections/forward-connectors.ts";
import type { GivenChange, ShownValue } from "../../server/workshop/config-editor.ts";

/**
 * Returns every setting in effect and where it comes from. A value from the file is shown as it is written there, so
 * that a reference to a secret stays a reference.
 */
export function configValues(text: string, config: Config, mask: (text: string) => string): ShownValue[] {
  const document = configDocument(text, "");
  const found: ShownValue[] = [];
  // Masked as text, so that a secret inside a list is masked as well.
  const shown = (value: unknown): unknown => (value === undefined ? value : JSON.parse(mask(JSON.stringify(value))));
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const walk = (given: unknown, effective: unknown, standard: unknown, path: readonly string[], isSibling = false) => {
    const names = new Set([...namesIn(given), ...namesIn(effective)]);
    // An empty section has no members to show, and is worth a line only if the file contains it.
    if (names.size > 0 && (isPlainObject(given) || given === undefined || given === null)) {
      const isInFile = path.length > 0 && isPlainObject(given);
      for (const name of names) {
        walk(memberOf(given, name), memberOf(effective, name), memberOf(standard, name), [...path, name], isInFile);
      }
    } else if (given !== undefined) {
      const { line } = document.place(path, "key");
      found.push({ path, value: shown(given), from: "file", ...(line === undefined ? {} : { line }) });
    } else if (!isPlainObject(effective)) {
      // Sections with names of their own, such as senders, have defaults that the schema does not name.
      const isDefault = isSame(effective, standard) || (standard === undefined && isSibling);
      found.push({ path, value: shown(effective), from: isDefault ? "default" : "code" });
    }
  };
  const without = { connectors: undefined };
  const standard = asSection(withDefaults(configShape(configSchema), document.value ?? {}));
  walk({ ...asSection(document.value), ...without }, { ...config, ...without }, { ...standard, ...without }, []);
  // Connectors are shown only as the file describes them, because their defaults and presets would be hundreds of
  // lines. Of others, the plain members say what they are.
  const described = memberOf(document.value, "connectors");
  walk(described, undefined, undefined, ["connectors"]);
  for (const [name, options] of Object.entries(config.connectors)) {
    if (memberOf(described, name) !== undefined || forwardedTopic(name) !== undefined) continue;
    const plain = Object.entries(options).filter(([, value]) => typeof value !== "object");
    walk(undefined, Object.fromEntries(plain), undefined, ["connectors", name]);
  }
  return found.filter(({ path, value }) => path.length > 0 && value !== undefined);
}

const asSection = (value: unknown): Record<string, unknown> => (isPlainObject(value) ? value : {});
const namesIn = (value: unknown): string[] => (isPlainObject(value) ? Object.keys(value) : []);
const memberOf = (value: unknown, name: string): unknown =>
  isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/**
 * Splits a change of a whole section into changes of the members that differ, so that the comments of the other members
 * are kept.
 */
export function smallestChanges(before: unknown, changes: readonly GivenChange[]): readonly GivenChange[] {
  return changes.flatMap(({ path, value }) => differences(valueAt(before, path), value, path));
}

export const valueAt = (value: unknown, path: readonly string[]): unknown => path.reduce<unknown>(memberOf, value);

function differences(before: unknown, after: unknown, path: readonly string[]): GivenChange[] {
  if (isPlainObject(before) && isPlainObject(after) && Object.keys(after).length > 0) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(before[name], after[name], [...path, name]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, value: after }];
}
