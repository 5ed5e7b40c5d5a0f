import type { WrongMethod } from "../contract/derive/match-route.ts";
import {
  defaultTable,
  type InboundRoute,
  type InboundTable,
  routeName,
  tableOf,
} from "../http/inbound/inbound-route.ts";
import type { Config } from "./config-schema.ts";

export interface LiveInbound {
  /** The routes that are always there. */
  readonly table: () => InboundTable;
  /** Finds a route of the configuration by method and raw address. */
  readonly configured: (method: string, url: string) => InboundRoute | WrongMethod | null;
  readonly find: (name: string) => InboundRoute | undefined;
}

/** Routes for pushes, as the configuration says now. */
export function liveInbound(current: () => Config, basePath: string): LiveInbound {
  const base = basePath.toLowerCase();
  let made: { readonly config: Config; readonly defaults: InboundTable; readonly own: InboundTable } | null = null;
  const now = () => {
    const config = current();
    if (made?.config !== config) {
      const { timeZone, timeOfDay, files } = config;
      const { profiles, encoding } = files;
      const needs = { dates: { timeZone, timeOfDay }, profiles, ...(encoding === undefined ? {} : { encoding }) };
      made = { config, defaults: defaultTable(needs), own: tableOf(config.inbound, needs) };
    }
    return made;
  };
  return {
    table: () => now().defaults,
    find: (name) => now().own.get(name) ?? now().defaults.get(name),
    configured: (method, url) => {
      const { own } = now();
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
