import { routeMatcher } from "../../contract/derive/match-route.ts";
import { pushRow, pushTopics } from "../../contract/pushes.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { nearestName } from "../../kit/nearest-name.ts";
import { compileMapping, MappingError } from "../../mapping/compile-mapping.ts";
import { answerNames } from "../../server/inbound/inbound-answer.ts";
import type { InboundOptions } from "../../server/inbound/inbound-options.ts";
import { routeName } from "../../server/inbound/inbound-route.ts";
import { type ConfigPath, didYouMean, type Objection, pathOf } from "../document/config-error.ts";
import { isPlainObject } from "../document/config-shape.ts";

/** The adapter's own routes; everything below them is reserved too. */
const ownPlaces = ["/health", "/metrics", "/openapi.json", "/docs", "/console", "/admin", "/inbound/entries"];
const isBelow = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Checks what a schema cannot express about push routes: unique paths and usable mapping rules. */
export function checkInbound(value: unknown): Objection[] {
  const { inbound, senders, timeZone, timeOfDay, bodyLimitMiB } = isPlainObject(value) ? value : {};
  if (!Array.isArray(inbound)) return [];
  const seen = new Set<string>();
  const known = isPlainObject(senders) ? senders : {};
  const dates = { timeZone: String(timeZone ?? "UTC"), timeOfDay: String(timeOfDay ?? "00:00") };
  return inbound.flatMap((given: unknown, index): Objection[] => {
    if (!isPlainObject(given)) return [];
    // The schema reports wrong types, and each check uses only what it can read.
    const route = given as Partial<InboundOptions>;
    const at = (...path: (string | number)[]): ConfigPath => ["inbound", index, ...path];
    return [
      ...placeObjections(route, at, seen),
      ...senderObjections(route, at, known),
      ...mapObjections(route, at, dates),
      ...answerObjections(route, at),
      ...limitObjections(route, at, bodyLimitMiB),
    ];
  });
}

type At = (...path: (string | number)[]) => ConfigPath;
type Route = Partial<InboundOptions>;

function placeObjections({ path, method = "POST" }: Route, at: At, seen: Set<string>): Objection[] {
  if (typeof path !== "string") return [];
  const name = routeName(method, path);
  const isTwice = seen.has(name);
  seen.add(name);
  const plain = routeName("", path).slice(1);
  const hint = "Choose another path, such as /inbound/shop/orders.";
  if (isTwice) return [{ path: at("path"), text: `${method} ${path} is defined twice`, hint }];
  if (routeMatcher("")(method, path) !== null) {
    return [{ path: at("path"), text: `${path} is a route of the platform's contract`, hint }];
  }
  const own = [...pushTopics.map((topic) => pushRow(topic).path), ...ownPlaces].find((place) => isBelow(plain, place));
  return own === undefined ? [] : [{ path: at("path"), text: `${own} is a route of the adapter itself`, hint }];
}

function senderObjections({ sender, topic }: Route, at: At, senders: Record<string, unknown>): Objection[] {
  const names = [sender ?? []].flat().filter((name) => typeof name === "string");
  return names.flatMap((name): Objection[] => {
    if (name === "key") return [];
    const found = Object.hasOwn(senders, name) ? senders[name] : undefined;
    if (found === undefined) {
      const hint = `${didYouMean(nearestName(name, Object.keys(senders)))}Describe it under \`senders\`.`;
      return [{ path: at("sender"), text: `there is no sender named ${JSON.stringify(name)}`, hint }];
    }
    const topics = isPlainObject(found) && Array.isArray(found["topics"]) ? found["topics"] : null;
    if (topics === null || topic === undefined || topics.includes(topic)) return [];
    const hint = `Add ${topic} to senders.${name}.topics, or name another sender.`;
    return [{ path: at("sender"), text: `${name} may not push ${topic}`, hint }];
  });
}

function mapObjections(route: Route, at: At, dates: { timeZone: string; timeOfDay: string }): Objection[] {
  const { map, topic, format = "json", groupBy, records } = route;
  const objections: Objection[] = [];
  if (groupBy !== undefined && (format !== "csv" || map === undefined)) {
    const hint = "Remove it, or write `format: csv` and a `map`.";
    objections.push({ path: at("groupBy"), text: "only a CSV body with a mapping can be grouped", hint });
  }
  if (records !== undefined && format === "csv") {
    objections.push({ path: at("records"), text: "the rows of a CSV body are its records", hint: "Remove it." });
  }
  if (map === undefined || !isOneOf(pushTopics, topic)) return objections;
  try {
    compileMapping(map, { dates, target: pushRow(topic).element });
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    for (const { path, text, position } of error.problems) {
      const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
      objections.push({ path: at("map", ...pathOf(path)), text: text + place });
    }
  }
  return objections;
}

function answerObjections({ answer }: Route, at: At): Objection[] {
  if (!isPlainObject(answer)) return [];
  // An object. Each member is checked here or by the schema of the whole file.
  const { body, status } = answer as NonNullable<InboundOptions["answer"]>;
  if (status === 204 && body !== undefined && body !== "") {
    const hint = "Write status 200, or leave the body out.";
    return [{ path: at("answer", "body"), text: "an answer with status 204 has no body", hint }];
  }
  const { used, there } = answerNames(body);
  return used
    .filter((name) => !there.includes(name))
    .map((name) => ({
      path: at("answer", "body"),
      text: `there is no placeholder {${name}}`,
      hint: `${didYouMean(nearestName(name, there))}There are {${there.join("}, {")}}; write {{ for a brace.`,
    }));
}

function limitObjections({ limitMiB }: Route, at: At, most: unknown): Objection[] {
  if (typeof limitMiB !== "number" || typeof most !== "number" || limitMiB <= most) return [];
  const hint = "Raise bodyLimitMiB, or lower this.";
  return [{ path: at("limitMiB"), text: `no body may be larger than bodyLimitMiB, which is ${most}`, hint }];
}
