import { embeddedName, noneName, type Offers, unusedConnectors } from "../../config/checks/check-references.ts";
import type { Config } from "../../config/config-schema.ts";
import { type EventId, type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import { eventWarnings } from "./event-warnings.ts";

type Bound = Pick<Config, "connectors" | "serve" | "events" | "inbound" | "platform">;

const eventIds = operationIds.filter((id: OperationId): id is EventId => operationRow(id).kind === "event");

/** Settings that are allowed but probably not meant. `check` prints them; every start and reload logs them. */
export function deploymentWarnings(config: Bound, offers: Offers): string[] {
  return [
    ...unusedConnectors(config, offers).map(
      (name) => `the connector ${name} is not used: name it under \`serve\` or \`events\`, or remove it`,
    ),
    ...unsentEvents(config, offers),
    ...eventWarnings(config),
    ...unservedWarnings(config),
  ];
}

/** Returns the events whose target has no request for them: they stay in the journal and are not sent. */
function unsentEvents({ events }: Bound, offers: Offers): string[] {
  const targetOf = (id: EventId) => events.by[id] ?? events.to;
  const targets = new Set(eventIds.flatMap((id) => targetOf(id) ?? []));
  targets.delete(noneName);
  return [...targets].flatMap((name) => {
    const offer = offers.get(name);
    const unsent = eventIds.filter((id) => targetOf(id) === name && offer?.operations.includes(id) === false);
    if (unsent.length === 0 || unsent.length === eventIds.length) return [];
    return [
      `${name} describes no request for ${unsent.join(", ")}: these events are kept in the journal and not sent. ` +
        `Describe them, or say that it is meant: \`events.by: { ${unsent[0]}: ${noneName} }\``,
    ];
  });
}

/** The query that shows pushed records of each topic. */
const shownBy: Partial<Record<PushTopic, "workOrders" | "items">> = { workOrders: "workOrders", items: "items" };

/**
 * The connector that answers the query which would show a push of this topic; null if the embedded store answers it.
 */
export function servedInstead(topic: PushTopic, { serve, platform }: Pick<Bound, "serve" | "platform">): string | null {
  const capability = shownBy[topic];
  if (capability === undefined) return null;
  const mode = platform.forward[topic]?.mode ?? "serve";
  const name = serve[capability] ?? embeddedName;
  return mode !== "serve" || name === embeddedName ? null : name;
}

/** The refusal of a push that no list would show, if the configuration refuses such pushes; otherwise null. */
export function refusedPush(topic: PushTopic, config: Pick<Bound, "serve" | "platform">): string | null {
  const name = config.serve.unservedPushes === "refuse" ? servedInstead(topic, config) : null;
  if (name === null) return null;
  const setting = `\`serve.${shownBy[topic]}\``;
  const why =
    name === noneName ? `${topic} are switched off here (${setting})` : `${topic} come from ${name} here (${setting})`;
  return `${why}: no list would show what is pushed.`;
}

/** The text that is logged when a push arrives that no list would show; otherwise nobody would notice. */
export function unservedPush(topic: PushTopic, config: Pick<Bound, "serve" | "platform">): string | null {
  const name = servedInstead(topic, config);
  return name === null ? null : `a push was stored that no list shows, because \`serve.${shownBy[topic]}\` is ${name}`;
}

/** Warns only about configured sources, because the default push routes exist in every deployment. */
function unservedWarnings(config: Bound): string[] {
  return (Object.keys(shownBy) as PushTopic[]).flatMap((topic) => {
    const name = servedInstead(topic, config);
    const who = [
      ...Object.entries(config.connectors)
        .filter(([, options]) => bringsIn(options, topic))
        .map(([source]) => `what ${source} brings in as ${topic}`),
      ...config.inbound.filter((route) => route.topic === topic).map(({ path }) => `pushes to ${path}`),
    ];
    if (name === null || who.length === 0) return [];
    return [
      `${who.join(" and ")}: no list shows it, because \`serve.${shownBy[topic]}\` is ${name}. Remove ${name} there, ` +
        "forward it with `platform.forward`, or refuse pushes: `serve.unservedPushes: refuse`",
    ];
  });
}

/** Whether a connector polls or reads files for this topic. */
function bringsIn(options: Readonly<Record<string, unknown>>, topic: PushTopic): boolean {
  return [options["poll"], options["in"]]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .some((one: unknown) => typeof one === "object" && one !== null && "topic" in one && one.topic === topic);
}
