import type { IncomingMessage } from "node:http";
import type { RouteMatch, WrongMethod } from "../../contract/derive/match-route.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Span } from "../../kit/tracing/tracing.ts";
import type { ServerSnapshot } from "../server-snapshot.ts";

/**
 * The server library decodes addresses before it matches them. Contract addresses are matched raw, by our own matcher,
 * and then passed to the library under an internal name, with the match stored on the request.
 */
const prefix = "/~operation/";
const wrongMethodPath = "/~wrong-method";
const unknownPath = "/~unknown";
/** The internal address of all configured routes. */
export const configuredPath = "/~configured";

// Notes of the server on a request, stored on the request itself: a WeakMap would cost as much as the route matching.
const taken = Symbol("snapshot");
const matched = Symbol("match");
const allowed = Symbol("allowed methods");
const configured = Symbol("configured route");
const refused = Symbol("refusal");
const traced = Symbol("span");
const begun = Symbol("begun");
interface Marked extends IncomingMessage {
  [taken]?: ServerSnapshot;
  [matched]?: RouteMatch;
  [allowed]?: string;
  [configured]?: object;
  [refused]?: AddressRefusal;
  [traced]?: Span;
  [begun]?: number;
}

/** Why a request is refused before routing. */
export interface AddressRefusal {
  readonly status: number;
  readonly detail: string;
}

export function noteBegin(request: Marked): void {
  request[begun] = performance.now();
}

/**
 * How long the request has taken so far, its body included. The server library measures this only for requests that it
 * logs.
 */
export const msSinceBegin = (request: Marked): number => performance.now() - (request[begun] ?? performance.now());

/** Gives a request its snapshot once, at the beginning, so that a reload does not affect a running request. */
export function takeSnapshot(request: Marked, snapshot: ServerSnapshot): void {
  snapshot.users.enter();
  request[taken] = snapshot;
}

export function snapshotOf(request: Marked): ServerSnapshot {
  const snapshot = request[taken];
  if (snapshot === undefined) throw new Error("the request has no snapshot");
  return snapshot;
}

/**
 * Called once for every answered request. Without this, a replaced snapshot and its connectors would stay open until
 * their time limit.
 */
export const leaveSnapshot = (request: Marked): void => request[taken]?.users.leave();

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

/**
 * The internal address for a configured route. The route is stored on the request, because a reload may replace the
 * routes meanwhile.
 */
export function addressForConfigured(request: Marked, url: string, found: object | WrongMethod): string {
  if ("allow" in found) {
    request[allowed] = found.allow;
    return wrongMethodPath;
  }
  request[configured] = found;
  const query = url.indexOf("?");
  return query < 0 ? configuredPath : configuredPath + url.slice(query);
}

/** The internal address for a request that is refused, whatever its own address is. */
export function addressForRefused(request: Marked, refusal: AddressRefusal): string {
  request[refused] = refusal;
  return unknownPath;
}

export const refusalOf = (request: Marked): AddressRefusal | undefined => request[refused];

export const isConfigured = (request: Marked): boolean => request[configured] !== undefined;

export function configuredOf<Route extends object>(request: Marked): Route {
  const route = request[configured];
  if (route === undefined) throw new Error("the request bypassed the matcher");
  // Only called for requests that the matcher has matched.
  return route as Route;
}

export function matchOf(request: Marked): RouteMatch {
  const match = request[matched];
  if (match === undefined) throw new Error("the request bypassed the matcher");
  return match;
}

/** The allowed methods of a contract address that was called with a wrong one. */
export const allowedMethods = (request: Marked): string | undefined => request[allowed];

export function noteSpan(request: Marked, span: Span): void {
  request[traced] = span;
}

/** Undefined if the request is not traced. */
export const spanOf = (request: Marked): Span | undefined => request[traced];
