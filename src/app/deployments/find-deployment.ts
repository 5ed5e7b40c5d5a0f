import type { IncomingMessage } from "node:http";

/** Where a deployment is reached. */
export interface Address {
  /** Absent: reached under every host name that no other deployment has. */
  readonly hosts?: readonly string[] | undefined;
  readonly basePath: string;
}

type RequestAddress = Pick<IncomingMessage, "url"> & { readonly headers: Pick<IncomingMessage["headers"], "host"> };

/**
 * Finds the deployment of a request. Deployments that name the host come first, then the longest base path. Two with
 * the same address were refused when they were loaded.
 */
export function deploymentFinder<One extends Address>(all: Iterable<One>): (request: RequestAddress) => One | null {
  const byHost = new Map<string, Paths<One>>();
  const anyHost = noPaths<One>();
  for (const one of all) {
    if (one.hosts === undefined) add(anyHost, one);
    for (const host of one.hosts ?? []) {
      const name = host.toLowerCase();
      byHost.set(name, add(byHost.get(name) ?? noPaths(), one));
    }
  }
  return ({ url = "/", headers }) => {
    const host = (headers.host ?? "").replace(/:\d*$/, "").toLowerCase();
    const named = byHost.get(host);
    return (named === undefined ? null : longest(named, url)) ?? longest(anyHost, url);
  };
}

/**
 * Finds the longest base path that the URL begins with. It looks up prefixes, so neither the number of deployments nor
 * the length of the URL matters.
 */
function longest<One>({ byPath, mostParts }: Paths<One>, url: string): One | null {
  const parts = (url.split("?", 1)[0] ?? "").toLowerCase().split("/", mostParts + 1);
  for (; parts.length > 0; parts.pop()) {
    const found = byPath.get(parts.join("/"));
    if (found !== undefined) return found;
  }
  return null;
}

interface Paths<One> {
  readonly byPath: Map<string, One>;
  /** The number of parts of the longest base path. */
  mostParts: number;
}

const noPaths = <One>(): Paths<One> => ({ byPath: new Map(), mostParts: 0 });

function add<One extends Address>(paths: Paths<One>, one: One): Paths<One> {
  paths.byPath.set(one.basePath.toLowerCase(), one);
  paths.mostParts = Math.max(paths.mostParts, one.basePath.split("/").length - 1);
  return paths;
}
