import { type AskId, type OfferedId, operationIds, operationRow, type TellId } from "../contract/operations.ts";
import { capabilities, capabilityNames } from "../engine/capabilities.ts";
import type { OpenConnector } from "../sdk/connector.ts";
import { embeddedName, nobodyName } from "./check-references.ts";
import type { Objection } from "./config-error.ts";
import type { Config } from "./config-schema.ts";

type Offers = ReadonlyMap<string, Pick<OpenConnector, "operations" | "source" | "notices">>;

/** Where a question or an event is bound to a connector that does not offer it. Known only when they are open. */
export function checkOffers({ serve, events }: Pick<Config, "serve" | "events">, opened: Offers): Objection[] {
  const lacks = (name: string, id: OfferedId) => opened.get(name)?.operations[id] === undefined;
  const asks = capabilityNames.flatMap((capability) => {
    const name = serve[capability];
    if (name === undefined || name === embeddedName) return [];
    const missing = capabilities[capability].asks.filter((id) => lacks(name, id));
    if (missing.length === 0) return [];
    const text = `${name} does not offer ${missing.join(", ")}`;
    return [
      { path: ["serve", capability], text, hint: `${offered(opened.get(name), "ask")} Use \`embedded\` otherwise.` },
    ];
  });
  const tells = Object.entries(events.by).flatMap(([id, name]) =>
    // The schema knows the ids, fromEntries forgets them.
    name === nobodyName || !lacks(name, id as TellId)
      ? []
      : [
          {
            path: ["events", "by", id],
            text: `${name} does not take this event`,
            hint: offered(opened.get(name), "tell"),
          },
        ],
  );
  const { to } = events;
  const target = to === undefined ? undefined : opened.get(to);
  const takesNone =
    to !== undefined && target !== undefined && target.notices === undefined && offersOf(target, "tell").length === 0;
  return [
    ...asks,
    ...tells,
    ...(takesNone ? [{ path: ["events", "to"], text: `${to} takes no events`, hint: offered(target, "ask") }] : []),
  ];
}

/** Connectors that are configured but neither asked, told, nor bring anything in. */
export function unusedConnectors({ serve, events }: Pick<Config, "serve" | "events">, opened: Offers): string[] {
  const used = new Set([...capabilityNames.map((name) => serve[name]), events.to, ...Object.values(events.by)]);
  return [...opened].filter(([name, { source }]) => !used.has(name) && source === undefined).map(([name]) => name);
}

export const offersOf = (connector: Pick<OpenConnector, "operations"> | undefined, kind: "ask" | "tell") =>
  operationIds
    .filter((id): id is AskId | TellId => operationRow(id).kind === kind && operationRow(id).budget !== "none")
    .filter((id) => connector?.operations[id] !== undefined);

function offered(connector: Pick<OpenConnector, "operations"> | undefined, kind: "ask" | "tell"): string {
  const ids = offersOf(connector, kind);
  return ids.length === 0 ? `It offers no ${kind === "ask" ? "answers" : "events"}.` : `It offers ${ids.join(", ")}.`;
}
