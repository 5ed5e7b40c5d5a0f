import { operationRow } from "../../contract/operations.ts";
import { platformName } from "../../engine/forward/forwarded.ts";
import { type Capability, capabilities, capabilityNames } from "../../engine/queries/routing.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import type { Offer } from "../../sdk/connector.ts";
import type { Config } from "../config-schema.ts";
import { type ConfigPath, didYouMean, type Objection } from "../document/config-error.ts";
import { isPlainObject } from "../document/config-shape.ts";

/** The name of Crossdock's own store wherever a connector can be named. */
export const embeddedName = "embedded";
/** Stands in place of a connector: the capability is switched off, or the event is sent to no system. */
export const noneName = "none";

const maxNameLength = 60;

/** Checks that every connector named in the configuration exists and has a valid name. */
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
      .filter(([name]) => isOneOf(capabilityNames, name))
      .flatMap(([capability, name]) => known(name, ["serve", capability], [embeddedName, noneName])),
    ...known(to, ["events", "to"], []),
    ...members(by).flatMap(([id, name]) => known(name, ["events", "by", id], [noneName])),
    ...members(limits).flatMap(([name]) => known(name, ["events", "limits", name], [])),
  ];
}

function checkName(name: string): Objection[] {
  const path = ["connectors", name];
  if (name === embeddedName || name === noneName || name === platformName) {
    return [{ path, text: `${name} is a reserved name`, hint: "Choose another name." }];
  }
  // Names are used in log lines, file names and the journal.
  if (/^[\p{L}\p{N}._ -]+$/u.test(name) && name.length <= maxNameLength) return [];
  const hint = `Letters, digits, blanks and . _ -, at most ${maxNameLength} of them.`;
  return [{ path, text: `${JSON.stringify(name)} is not a valid name`, hint }];
}

/**
 * Returns the capability's connector; undefined if the embedded store answers, or if the capability is switched off.
 */
export function servingConnector(serve: Config["serve"], capability: Capability): string | undefined {
  const name = serve[capability];
  return name === embeddedName || name === noneName ? undefined : name;
}

/** Capabilities whose queries are answered with AdapterNotDefined. */
export const switchedOff = (serve: Config["serve"]): Capability[] =>
  capabilityNames.filter((capability) => serve[capability] === noneName);

/** The offers by the name of the connector, for every connector whose offer is known. */
export type Offers = ReadonlyMap<string, Offer>;

/** Reports every query or event that is bound to a connector which does not offer it. */
export function checkOffers({ serve, events }: Pick<Config, "serve" | "events">, offers: Offers): Objection[] {
  const queries = capabilityNames.flatMap((capability): Objection[] => {
    const name = serve[capability];
    // `embedded` and `none` are not in the map.
    const offer = name === undefined ? undefined : offers.get(name);
    const missing = offer === undefined ? [] : capabilities[capability].queries.filter((id) => lacks(offer, id));
    if (offer === undefined || missing.length === 0) return [];
    const text = `${name} does not offer ${missing.join(", ")}`;
    return [{ path: ["serve", capability], text, hint: `${offered(offer, "query")} Use \`embedded\` otherwise.` }];
  });
  const eventNames = Object.entries(events.by).flatMap(([id, name]): Objection[] => {
    const offer = name === noneName ? undefined : offers.get(name);
    if (offer === undefined || !lacks(offer, id)) return [];
    const path = ["events", "by", id];
    return [{ path, text: `${name} does not accept this event`, hint: offered(offer, "event") }];
  });
  const target = events.to === undefined ? undefined : offers.get(events.to);
  const takesNone =
    target !== undefined &&
    !target.takesNotices &&
    offeredOf(target, "event").length === 0 &&
    (target.derived ?? []).length === 0;
  return [
    ...queries,
    ...eventNames,
    ...(takesNone
      ? [{ path: ["events", "to"], text: `${events.to} accepts no events`, hint: offered(target, "query") }]
      : []),
  ];
}

/** Configured connectors that answer no query, get no event and push nothing. */
export function unusedConnectors({ serve, events }: Pick<Config, "serve" | "events">, offers: Offers): string[] {
  const used = new Set([...capabilityNames.map((name) => serve[name]), events.to, ...Object.values(events.by)]);
  return [...offers].filter(([name, { bringsIn }]) => !used.has(name) && !bringsIn).map(([name]) => name);
}

export const offeredOf = ({ operations }: Pick<Offer, "operations">, kind: "query" | "event") =>
  operations.filter((id) => operationRow(id).kind === kind);

const lacks = ({ operations, derived = [] }: Offer, id: string) =>
  ![...operations, ...derived].some((one) => one === id);

function offered(offer: Offer, kind: "query" | "event"): string {
  const ids = offeredOf(offer, kind);
  return ids.length === 0 ? `It offers no ${kind === "query" ? "answers" : "events"}.` : `It offers ${ids.join(", ")}.`;
}
