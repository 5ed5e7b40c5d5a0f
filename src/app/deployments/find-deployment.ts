import type { IncomingMessage } from "node:http";

/** Where a deployment is reached. */
export interface Address {
  /** Absent: under every host name that no other deployment has. */
  readonly hosts?: readonly string[] | undefined;
  readonly basePath: string;
}

type Asked = Pick<IncomingMessage, "url"> & { readonly headers: Pick<IncomingMessage["headers"], "host"> };

/**
 * Finds the deployment of a request. Those that name the host come first, then the longest base path. Two with the same
 * address were refused when they were loaded.
 */
export function deploymentFinder<One extends Address>(all: Iterable<One>): (request: Asked) => One | null {
  const byHost = new Map<string, Map<string, One>>();
  const anyHost = new Map<string, One>();
  for (const one of all) {
    const path = one.basePath.toLowerCase();
    if (one.hosts === undefined) anyHost.set(path, one);
    for (const host of one.hosts ?? []) {
      const paths = byHost.get(host.toLowerCase()) ?? new Map<string, One>();
      byHost.set(host.toLowerCase(), paths.set(path, one));
    }
  }
  return ({ url = "/", headers }) => {
    const host = (headers.host ?? "").replace(/:\d*$/, "").toLowerCase();
    const named = byHost.get(host);
    return (named === undefined ? null : longest(named, url)) ?? longest(anyHost, url);
  };
}

/** Looked up by the path itself, so that the number of deployments does not matter. */
function longest<One>(byPath: ReadonlyMap<string, One>, url: string): One | null {
  let path = (url.split("?", 1)[0] ?? "").toLowerCase();
  for (let parts = 0; parts < mostParts; parts++) {
    const found = byPath.get(path);
    if (found !== undefined) return found;
    const end = path.lastIndexOf("/");
    if (end < 0) return null;
    path = path.slice(0, end);
  }
  return byPath.get("") ?? null;
}

/** A path of thousands of slashes must not take long. */
const mostParts = 64;
