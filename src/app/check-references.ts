import { capabilityNames } from "../engine/capabilities.ts";
import { platformName } from "../engine/forward/forward-mode.ts";
import { nearestName } from "../kit/nearest-name.ts";
import { type ConfigPath, didYouMean, type Objection } from "./config-error.ts";
import { isPlainObject } from "./config-shape.ts";

/** The name of Crossdock's own store, where a connector may be named. */
export const embeddedName = "embedded";
/** In place of a connector: the event is kept inside. */
export const nobodyName = "nobody";

const maxNameLength = 60;

/** Whether everybody who is named in the configuration is there, and has a name that can be told from others. */
export function checkReferences(value: unknown): Objection[] {
  const { connectors, serve, events } = isPlainObject(value) ? value : {};
  const names = isPlainObject(connectors) ? Object.keys(connectors) : [];
  const { to, by, limits } = isPlainObject(events) ? events : {};

  const known = (name: unknown, path: ConfigPath, also: readonly string[]): Objection[] => {
    if (typeof name !== "string" || names.includes(name) || also.includes(name)) return [];
    const candidates = [...names, ...also];
    const hint = `${didYouMean(nearestName(name, candidates))}${
      names.length === 0 ? "Describe it under `connectors`." : `There are ${candidates.join(", ")}.`
    }`;
    return [{ path, text: `there is no connector named ${JSON.stringify(name)}`, hint }];
  };
  const members = (owner: unknown) => (isPlainObject(owner) ? Object.entries(owner) : []);

  return [
    ...names.flatMap(checkName),
    ...members(serve)
      .filter(([name]) => (capabilityNames as readonly string[]).includes(name))
      .flatMap(([capability, name]) => known(name, ["serve", capability], [embeddedName])),
    ...known(to, ["events", "to"], []),
    ...members(by).flatMap(([id, name]) => known(name, ["events", "by", id], [nobodyName])),
    ...members(limits).flatMap(([name]) => known(name, ["events", "limits", name], [])),
  ];
}

function checkName(name: string): Objection[] {
  const path = ["connectors", name];
  if (name === embeddedName || name === nobodyName || name === platformName) {
    return [{ path, text: `${name} has a meaning of its own`, hint: "Choose another name." }];
  }
  // It stands in log lines, file names and the journal.
  if (/^[\p{L}\p{N}._ -]+$/u.test(name) && name.length <= maxNameLength) return [];
  const hint = `Letters, digits, blanks and . _ -, at most ${maxNameLength} of them.`;
  return [{ path, text: `${JSON.stringify(name)} cannot be a name`, hint }];
}
