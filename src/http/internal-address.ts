import type { IncomingMessage } from "node:http";
import type { OperationId } from "../contract/operations.ts";
import type { RouteMatch, WrongMethod } from "./match-route.ts";

/**
 * The server library decodes addresses before it matches them. Contract addresses are matched raw, by our
 * own matcher, and then given to the library under a name of ours, with the match kept beside the request.
 */
const prefix = "/~operation/";
const wrongMethodPath = "/~wrong-method";
const unknownPath = "/~unknown";

const matches = new WeakMap<IncomingMessage, RouteMatch>();
const allowed = new WeakMap<IncomingMessage, string>();

export const routePath = (id: OperationId): string => prefix + id;

export function addressFor(request: IncomingMessage, url: string, found: RouteMatch | WrongMethod | null): string {
  if (found === null) {
    // Our own names must not be reachable from outside: they would bypass the matcher.
    return url.startsWith("/~") ? unknownPath : url;
  }
  if ("allow" in found) {
    allowed.set(request, found.allow);
    return wrongMethodPath;
  }
  matches.set(request, found);
  return routePath(found.id);
}

export function matchOf(request: IncomingMessage): RouteMatch {
  const match = matches.get(request);
  if (match === undefined) throw new Error("the request came past the matcher");
  return match;
}

/** The methods a contract address knows, where it was called with another. */
export const allowedMethods = (request: IncomingMessage): string | undefined => allowed.get(request);
