import type { IncomingMessage } from "node:http";
import type { RouteMatch, WrongMethod } from "../../contract/derive/match-route.ts";
import type { OperationId } from "../../contract/operations.ts";

/**
 * The server library decodes addresses before it matches them. Contract addresses are matched raw, by our own matcher,
 * and then passed to the library under an internal name, with the match stored on the request.
 */
const prefix = "/~operation/";
const wrongMethodPath = "/~wrong-method";
const unknownPath = "/~unknown";
/** The internal address of configured routes. */
export const configuredPath = "/~configured";

// Members of the request itself: a WeakMap would cost as much per request as the matching.
const matched = Symbol("match");
const allowed = Symbol("allowed methods");
const configured = Symbol("configured route");
const refused = Symbol("refusal");
interface Addressed extends IncomingMessage {
  [matched]?: RouteMatch;
  [allowed]?: string;
  [configured]?: object;
  [refused]?: AddressRefusal;
}

/** Why a request is refused before routing. */
export interface AddressRefusal {
  readonly status: number;
  readonly detail: string;
}

export const routePath = (id: OperationId): string => prefix + id;

export function addressFor(request: Addressed, url: string, found: RouteMatch | WrongMethod | null): string {
  if (found === null) {
    // Internal names must not be reachable from outside: they would bypass the matcher.
    return url.startsWith("/~") ? unknownPath : url;
  }
  if ("allow" in found) {
    request[allowed] = found.allow;
    return wrongMethodPath;
  }
  request[matched] = found;
  return routePath(found.id);
}

/** The same for a configured route. It is stored on the request, because a reload may replace the routes meanwhile. */
export function addressForConfigured(request: Addressed, url: string, found: object | WrongMethod): string {
  if ("allow" in found) {
    request[allowed] = found.allow;
    return wrongMethodPath;
  }
  request[configured] = found;
  const query = url.indexOf("?");
  return query < 0 ? configuredPath : configuredPath + url.slice(query);
}

/** For a request that is refused, whatever its address. */
export function addressForRefused(request: Addressed, refusal: AddressRefusal): string {
  request[refused] = refusal;
  return unknownPath;
}

export const refusalOf = (request: Addressed): AddressRefusal | undefined => request[refused];

export const isConfigured = (request: Addressed): boolean => request[configured] !== undefined;

export function configuredOf<Route extends object>(request: Addressed): Route {
  const route = request[configured];
  if (route === undefined) throw new Error("the request bypassed the matcher");
  // The caller has passed the request through the matcher.
  return route as Route;
}

export function matchOf(request: Addressed): RouteMatch {
  const match = request[matched];
  if (match === undefined) throw new Error("the request bypassed the matcher");
  return match;
}

/** The methods of a contract address that was called with another one. */
export const allowedMethods = (request: Addressed): string | undefined => request[allowed];
