import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteMatch, WrongMethod } from "../../contract/derive/match-route.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { ServerSnapshot } from "../server-snapshot.ts";

/**
 * The server library decodes addresses before it matches them. Contract addresses are matched raw, by our own matcher,
 * and then passed to the library under an internal name, with the match stored on the request.
 */
const prefix = "/~operation/";
const wrongMethodPath = "/~wrong-method";
const unknownPath = "/~unknown";
/** The internal address of configured routes. */
export const configuredPath = "/~configured";

// What the server notes on a request, as members of the request itself: a WeakMap would cost as much as the matching.
const taken = Symbol("snapshot");
const matched = Symbol("match");
const allowed = Symbol("allowed methods");
const configured = Symbol("configured route");
const refused = Symbol("refusal");
interface Marked extends IncomingMessage {
  [taken]?: ServerSnapshot;
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

/** Gives a request its snapshot once, at its beginning: a reload does not affect a running request. */
export function takeSnapshot(request: Marked, snapshot: ServerSnapshot): void {
  snapshot.users.enter();
  request[taken] = snapshot;
}

export function snapshotOf(request: Marked): ServerSnapshot {
  const snapshot = request[taken];
  if (snapshot === undefined) throw new Error("the request has no snapshot");
  return snapshot;
}

/** Without this, a replaced snapshot and its connectors would stay open until their time limit. */
export function leaveWhenAnswered(request: Marked, response: ServerResponse): void {
  const snapshot = request[taken];
  if (snapshot !== undefined) response.once("close", () => snapshot.users.leave());
}

export const routePath = (id: OperationId): string => prefix + id;

export function addressFor(request: Marked, url: string, found: RouteMatch | WrongMethod | null): string {
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
export function addressForConfigured(request: Marked, url: string, found: object | WrongMethod): string {
  if ("allow" in found) {
    request[allowed] = found.allow;
    return wrongMethodPath;
  }
  request[configured] = found;
  const query = url.indexOf("?");
  return query < 0 ? configuredPath : configuredPath + url.slice(query);
}

/** For a request that is refused, whatever its address. */
export function addressForRefused(request: Marked, refusal: AddressRefusal): string {
  request[refused] = refusal;
  return unknownPath;
}

export const refusalOf = (request: Marked): AddressRefusal | undefined => request[refused];

export const isConfigured = (request: Marked): boolean => request[configured] !== undefined;

export function configuredOf<Route extends object>(request: Marked): Route {
  const route = request[configured];
  if (route === undefined) throw new Error("the request bypassed the matcher");
  // The caller has passed the request through the matcher.
  return route as Route;
}

export function matchOf(request: Marked): RouteMatch {
  const match = request[matched];
  if (match === undefined) throw new Error("the request bypassed the matcher");
  return match;
}

/** The methods of a contract address that was called with another one. */
export const allowedMethods = (request: Marked): string | undefined => request[allowed];
