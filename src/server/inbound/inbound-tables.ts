import type { WrongMethod } from "../../contract/derive/match-route.ts";
import type { InboundOptions } from "./inbound-options.ts";
import type { ReaderNeeds } from "./inbound-reader.ts";
import { defaultTable, type InboundRoute, type InboundTable, routeName, tableOf } from "./inbound-route.ts";

/** The configuration members that define the routes for pushes. */
export interface InboundSettings extends Readonly<ReaderNeeds["dates"]> {
  readonly inbound: readonly InboundOptions[];
  readonly files: { readonly profiles: ReaderNeeds["profiles"]; readonly encoding?: ReaderNeeds["encoding"] };
}

export interface InboundTables {
  /** The routes that are always there. */
  readonly defaults: InboundTable;
  /** Finds a configured route by method and raw address, or the methods of the address; null: there is none. */
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
