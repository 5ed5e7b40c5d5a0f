import type { WrongMethod } from "../../contract/derive/match-route.ts";
import { type PushTopic, pushRow, pushTopics } from "../../contract/pushes.ts";
import type { AnswerOptions, InboundOptions } from "./inbound-options.ts";
import { type InboundReader, inboundReader, type ReaderNeeds } from "./inbound-reader.ts";

/** A route for pushes: what it accepts, from whom, and how it answers. */
export interface InboundRoute extends InboundReader {
  /** Method and path, which identify the route. */
  readonly name: string;
  readonly topic: PushTopic;
  /** The senders that may use it; null means every sender that may push its topic. */
  readonly senders: ReadonlySet<string> | null;
  readonly isPartial: boolean;
  readonly limitBytes: number | null;
  readonly answer: AnswerOptions | null;
}

/** Letter case and a trailing slash do not matter, as on all other routes. */
export const routeName = (method: string, path: string): string =>
  `${method} ${(path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).toLowerCase()}`;

function inboundRoute(options: InboundOptions, needs: ReaderNeeds): InboundRoute {
  const { method, path, topic, sender, badRecords, limitMiB, answer } = options;
  return {
    name: routeName(method, path),
    topic,
    senders: sender === undefined ? null : new Set([sender].flat()),
    isPartial: badRecords === "quarantine",
    limitBytes: limitMiB === undefined ? null : Math.floor(limitMiB * 2 ** 20),
    answer: answer ?? null,
    ...inboundReader(options, needs),
  };
}

/** The options of the routes that always exist. */
const defaultOptions = (topic: PushTopic): InboundOptions => ({
  ...{ path: pushRow(topic).path, method: "POST", topic, format: "json", badRecords: "refuse" },
});

export type InboundTable = ReadonlyMap<string, InboundRoute>;

export function defaultTable(needs: ReaderNeeds): InboundTable {
  return tableOf(pushTopics.map(defaultOptions), needs);
}

function tableOf(routes: readonly InboundOptions[], needs: ReaderNeeds): InboundTable {
  return new Map(routes.map((options) => [routeName(options.method, options.path), inboundRoute(options, needs)]));
}

/** The configuration members that define the routes for pushes. */
export interface InboundSettings extends Readonly<ReaderNeeds["dates"]> {
  readonly inbound: readonly InboundOptions[];
  readonly files: { readonly profiles: ReaderNeeds["profiles"]; readonly encoding?: ReaderNeeds["encoding"] };
}

export interface InboundTables {
  /** The routes that always exist. */
  readonly defaults: InboundTable;
  /**
   * Finds a configured route by method and raw address. Returns the allowed methods if only the method is wrong, and
   * null if there is no such route.
   */
  readonly match: (method: string, url: string) => InboundRoute | WrongMethod | null;
  readonly find: (name: string) => InboundRoute | undefined;
}

/** The routes for pushes of one configuration. */
export function inboundTables(settings: InboundSettings, basePath: string): InboundTables {
  const { timeZone, timeOfDay, files } = settings;
  const { profiles, encoding } = files;
  const needs = { dates: { timeZone, timeOfDay }, profiles, ...(encoding === undefined ? {} : { encoding }) };
  const base = basePath.toLowerCase();
  const defaults = defaultTable(needs);
  const own = tableOf(settings.inbound, needs);
  return {
    defaults,
    find: (name) => own.get(name) ?? defaults.get(name),
    match: (method, url) => {
      if (own.size === 0) return null;
      const [path = ""] = url.split("?");
      if (!path.toLowerCase().startsWith(`${base}/`)) return null;
      const name = routeName(method, path.slice(base.length));
      const route = own.get(name);
      if (route !== undefined) return route;
      const known = name.slice(method.length);
      const methods = [...own.keys()].filter((one) => one.slice(one.indexOf(" ")) === known);
      return methods.length === 0 ? null : { allow: methods.map((one) => one.slice(0, one.indexOf(" "))).join(", ") };
    },
  };
}
