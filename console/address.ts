import { signal } from "@preact/signals";
import { nameInSegment, pathSegment } from "../src/contract/admin/path-segment.ts";

/**
 * The address of the console itself. It is kept, because relative links must lead to the same place from every page.
 */
const base = new URL(document.baseURI);
const baseElement = document.querySelector("base");
if (baseElement !== null) baseElement.href = base.href;

/** The part of the address that names the view: a path below /console, and its filters. */
export interface Address {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const read = (): Address => ({
  path: location.pathname
    .slice(base.pathname.length)
    .split("/")
    .filter((part) => part !== "")
    .map(decoded),
  query: new URLSearchParams(location.search),
});

function decoded(part: string): string {
  try {
    return nameInSegment(decodeURIComponent(part));
  } catch {
    return part;
  }
}

export const address = signal<Address>(read());
addEventListener("popstate", () => {
  address.value = read();
});

/** Opens a view. The address is relative to the console: `orders/4711?x=1`. */
export function go(to: string, { isReplaced = false } = {}): void {
  const url = new URL(to === "" ? "./" : to, base);
  if (isReplaced) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  address.value = read();
  if (!isReplaced) scrollTo(0, 0);
}

type Filters = Readonly<Record<string, string | null>>;

/** The address of this view with some filters set or removed, and the others kept. */
export function pathWith(filters: Filters): string {
  const query = new URLSearchParams(address.value.query);
  for (const [name, value] of Object.entries(filters)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${pathTo(...address.value.path)}${text === "" ? "" : `?${text}`}`;
}

/** Sets or removes filters and keeps the others, so that every view can be shared as it is seen. */
export const setFilters = (filters: Filters): void => go(pathWith(filters), { isReplaced: true });

export const pathTo = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => pathSegment(String(part))).join("/");

/** The address of a route of the adapter. */
export const routeUrl = (path: string): URL => new URL(`../${path}`, base);
