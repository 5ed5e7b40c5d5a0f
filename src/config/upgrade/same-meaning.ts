import { isDeepStrictEqual } from "node:util";
import type { Document } from "yaml";
import { type OldSetting, oldSettings } from "./old-settings.ts";

type Section = Record<string, unknown>;

/** Whether a rewritten file still means what the old one meant, apart from the spelling of its settings. */
export function hasSameMeaning(before: Document, after: Document): boolean {
  return after.errors.length === 0 && isDeepStrictEqual(inNewSpelling(before.toJS()), inNewSpelling(after.toJS()));
}

/** The value of a file with every old setting in its new place. */
function inNewSpelling(value: unknown): unknown {
  const changed = copied(value);
  for (const setting of oldSettings) {
    const steps = setting.at.replaceAll("[]", ".[]").split(".");
    rewrite(changed, steps, [], setting);
  }
  return changed;
}

const isSection = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value that is used in several places is copied for each: a rewrite of one place must not show in the others. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isSection(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]));
}

function rewrite(node: unknown, steps: readonly string[], path: readonly string[], setting: OldSetting): void {
  const [step = "", ...rest] = steps;
  if (Array.isArray(node) && step === "[]") for (const item of node) rewrite(item, rest, [...path, step], setting);
  if (!isSection(node)) return;
  for (const [name, member] of Object.entries(node)) {
    if (step !== "*" && step !== name) continue;
    const isConnector = setting.type !== undefined && path.length === 1 && path[0] === "connectors";
    if (isConnector && !(isSection(member) && member["type"] === setting.type)) continue;
    if (rest.length > 0) rewrite(member, rest, [...path, name], setting);
    else change(node, name, setting);
  }
}

function change(section: Section, name: string, { to, values = {}, lift }: OldSetting): void {
  const value = section[name];
  if (lift !== undefined) {
    if (value !== null && !isSection(value)) return;
    delete section[name];
    Object.assign(section, lift === true ? {} : { kind: lift }, value);
    return;
  }
  if (to !== undefined && Object.hasOwn(section, to)) return;
  const now = isSection(value) || !Object.hasOwn(values, String(value)) ? value : values[String(value)];
  if (to !== undefined) delete section[name];
  section[to ?? name] = now;
}
