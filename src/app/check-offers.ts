import { operationRow } from "../contract/operations.ts";
import { capabilities, capabilityNames } from "../engine/capabilities.ts";
import type { Offer } from "../sdk/offer.ts";
import { embeddedName, nobodyName } from "./check-references.ts";
import type { Objection } from "./config-error.ts";
import type { Config } from "./config-schema.ts";

/** Of every connector of which it is known. */
export type Offers = ReadonlyMap<string, Offer>;

/** Where a question or an event is bound to a connector that does not offer it. */
export function checkOffers({ serve, events }: Pick<Config, "serve" | "events">, offers: Offers): Objection[] {
  const asks = capabilityNames.flatMap((capability): Objection[] => {
    const name = serve[capability];
    const offer = name === undefined || name === embeddedName ? undefined : offers.get(name);
    const missing = offer === undefined ? [] : capabilities[capability].asks.filter((id) => lacks(offer, id));
    if (offer === undefined || missing.length === 0) return [];
    const text = `${name} does not offer ${missing.join(", ")}`;
    return [{ path: ["serve", capability], text, hint: `${offered(offer, "ask")} Use \`embedded\` otherwise.` }];
  });
  const tells = Object.entries(events.by).flatMap(([id, name]): Objection[] => {
    const offer = name === nobodyName ? undefined : offers.get(name);
    if (offer === undefined || !lacks(offer, id)) return [];
    const path = ["events", "by", id];
    return [{ path, text: `${name} does not take this event`, hint: offered(offer, "tell") }];
  });
  const target = events.to === undefined ? undefined : offers.get(events.to);
  const takesNone = target !== undefined && !target.takesNotices && offeredOf(target, "tell").length === 0;
  return [
    ...asks,
    ...tells,
    ...(takesNone
      ? [{ path: ["events", "to"], text: `${events.to} takes no events`, hint: offered(target, "ask") }]
      : []),
  ];
}

/** Connectors that are configured but neither asked, told, nor bring anything in. */
export function unusedConnectors({ serve, events }: Pick<Config, "serve" | "events">, offers: Offers): string[] {
  const used = new Set([...capabilityNames.map((name) => serve[name]), events.to, ...Object.values(events.by)]);
  return [...offers].filter(([name, { bringsIn }]) => !used.has(name) && !bringsIn).map(([name]) => name);
}

export const offeredOf = ({ operations }: Pick<Offer, "operations">, kind: "ask" | "tell") =>
  operations.filter((id) => operationRow(id).kind === kind);

const lacks = ({ operations }: Offer, id: string) => !operations.some((one) => one === id);

function offered(offer: Offer, kind: "ask" | "tell"): string {
  const ids = offeredOf(offer, kind);
  return ids.length === 0 ? `It offers no ${kind === "ask" ? "answers" : "events"}.` : `It offers ${ids.join(", ")}.`;
}
