import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { platformName } from "../../engine/forward/forwarded.ts";
import type { Config } from "../config-schema.ts";
import type { ForwardRequest, ForwardSection } from "./forward-options.ts";

/**
 * The name of the connector for a topic. No configured connector can have it, because slashes are not allowed there.
 */
export const forwardName = (topic: PushTopic): string => `${platformName}/${topic}`;

/** The topic in such a name; undefined for the name of a configured connector. */
export const forwardedTopic = (name: string): PushTopic | undefined =>
  pushTopics.find((topic) => forwardName(topic) === name);

/** The configured connectors, without those for forwarding. */
export const withoutForward = <Value>(opened: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
  new Map([...opened].filter(([name]) => forwardedTopic(name) === undefined));

/**
 * Each request becomes a separate connector, so that it is opened, kept over a reload and closed like any other. Topics
 * that are now only served are included: their queued entries must still be delivered.
 */
export const forwardConnectors = (forward: ForwardSection): Config["connectors"] =>
  Object.fromEntries(
    pushTopics.flatMap((topic) => {
      const request = forward[topic]?.request;
      return request === undefined ? [] : [[forwardName(topic), { type: "http", ...httpOptionsOf(request) }] as const];
    }),
  );

/** Values without placeholders belong to the whole connection and are treated as secrets. */
const isFixed = (text: string) => !text.includes("{");

export function httpOptionsOf({ url, method, query, headers = {}, body, ...rest }: ForwardRequest) {
  const { success, errorText, alreadyProcessed, alreadyProcessedWhen, tryLaterWhen, idempotencyHeader, ...connection } =
    rest;
  const [, origin = url, path = "", search = ""] = /^([^/]+\/\/[^/?#]+)([^?#]*)(.*)$/s.exec(url) ?? [];
  const pick = (isWanted: (text: string) => boolean) =>
    Object.fromEntries(Object.entries(headers).filter(([, text]) => isWanted(text)));
  const notices = {
    method: method ?? "POST",
    query,
    map: body,
    success,
    errorText,
    alreadyProcessed,
    alreadyProcessedWhen,
    tryLaterWhen,
    idempotencyHeader,
  };
  return {
    ...defined(connection),
    // Only a success or failure is expected, so answers may be small. With the limit for lists, eight answers at once
    // would take a quarter of a gigabyte.
    limits: { maxAnswerMiB: 1 },
    baseUrl: origin + search,
    headers: pick(isFixed),
    notices: { path: path === "" ? "/" : path, headers: pick((text) => !isFixed(text)), ...defined(notices) },
  };
}

const defined = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
