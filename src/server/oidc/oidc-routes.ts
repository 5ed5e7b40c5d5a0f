import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readQuery } from "../../contract/derive/match-route.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { type AdminGate, cookieName, sessionToken } from "../admin/admin-gate.ts";
import { type OidcSettings, oidcFingerprint, type Role } from "../auth/admin-access.ts";
import { writeRefusal } from "../auth/sender-check.ts";

/** What only this adapter knows about a sign-in that has begun. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Talks to the identity provider. */
export interface OidcDriver {
  readonly begin: (redirectUri: string) => Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /**
   * Returns what the provider says about the person who came back with this address. Throws if anything does not fit.
   */
  readonly finish: (cameBackTo: URL, pending: PendingSignIn) => Promise<Claims>;
}

/** The identity provider of one configuration. */
export interface IdentityProvider {
  readonly settings: OidcSettings;
  readonly driver: OidcDriver;
}

export interface OidcRouteNeeds {
  readonly gate: AdminGate;
  /** Null if none is configured. Called once for every request: a reload can change it. */
  readonly provider: () => IdentityProvider | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly basePath: string;
  readonly newReference: () => string;
}

interface Begun {
  readonly pending: PendingSignIn;
  readonly redirectUri: string;
  /** A fingerprint of the settings: a provider that was configured later did not begin this sign-in. */
  readonly print: string;
  readonly to: string;
  readonly at: number;
}

const patienceMs = 10 * 60_000;
const mostBegun = 1_000;

/**
 * Sign-in at an identity provider: code flow with PKCE. The state of a sign-in is kept here; the browser only has its
 * random id, in a separate cookie. That cookie is "lax", because the way back is a link from another site. The cookie
 * of the session is "strict".
 */
export function oidcRoutes(app: FastifyInstance, needs: OidcRouteNeeds): void {
  const { gate, provider, clock, log, basePath, newReference } = needs;
  const begun = new Map<string, Begun>();
  const path = `${basePath}/admin/oidc`;
  const refuse = (reply: FastifyReply, detail: string) => writeRefusal(reply, { status: 403, detail }, newReference);
  const beginCookie = ({ socket }: FastifyRequest) => `crossdock_sign_in_${socket.localPort ?? 0}`;
  const publicOf = (request: FastifyRequest, { publicUrl }: OidcSettings): string => {
    if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
    const isTls = "encrypted" in request.socket && request.socket.encrypted === true;
    return `${isTls ? "https" : "http"}://${request.headers.host ?? ""}${basePath}`;
  };

  app.get(`${path}/sign-in`, async (request, reply) => {
    secured(reply);
    const current = provider();
    if (current === null) return refuse(reply, "No identity provider is configured: sign in with a key.");
    const { settings, driver } = current;
    const redirectUri = `${publicOf(request, settings)}/admin/oidc/callback`;
    const to = placeIn(readQuery(request.url.split("?", 2)[1] ?? "").get("to") ?? "");
    try {
      const { url, pending } = await driver.begin(redirectUri);
      for (const [id, { at }] of begun) if (clock.now() - at >= patienceMs || clock.now() < at) begun.delete(id);
      // Drops the oldest one: the map keeps that order.
      if (begun.size >= mostBegun) begun.delete(begun.keys().next().value ?? "");
      const id = randomBytes(32).toString("base64url");
      begun.set(id, { pending, redirectUri, print: oidcFingerprint(settings), to, at: clock.now() });
      reply.header("set-cookie", `${beginCookie(request)}=${id}; ${lax(redirectUri)}; Max-Age=${patienceMs / 1000}`);
      return reply.redirect(url, 302);
    } catch (error) {
      log.error({ err: error }, "the identity provider cannot be used");
      return reply.redirect(`${publicOf(request, settings)}/console?sign-in=failed`, 302);
    }
  });

  app.get(`${path}/callback`, async (request, reply) => {
    secured(reply);
    const id = only(request.headers.cookie, beginCookie(request));
    const one = id === null ? undefined : begun.get(id);
    // Each sign-in can be finished once: the same answer of the provider must not sign anybody in again.
    if (id !== null) begun.delete(id);
    const current = provider();
    const age = one === undefined ? 0 : clock.now() - one.at;
    const isLate = age >= patienceMs || age < 0;
    if (one === undefined || current === null || oidcFingerprint(current.settings) !== one.print || isLate) {
      return refuse(reply, "This sign-in was not begun here, or too long ago. Begin again.");
    }
    const { settings, driver } = current;
    const home = publicOf(request, settings);
    const leave = `${beginCookie(request)}=; ${lax(one.redirectUri)}; Max-Age=0`;
    const back = (why: "failed" | "forbidden") =>
      reply.header("set-cookie", leave).redirect(`${home}/console?sign-in=${why}`, 302);
    let claims: Claims;
    try {
      const [, query = ""] = request.url.split("?", 2);
      claims = await driver.finish(new URL(`${one.redirectUri}?${query}`), one.pending);
    } catch (error) {
      log.warn({ err: error }, "a sign-in by the identity provider failed");
      return back("failed");
    }
    const role = roleOf(claims, settings.roles);
    const name = nameOf(claims, settings.nameClaim);
    if (role === null || name === null) {
      log.warn({ operator: name ?? "" }, "somebody whom the identity provider knows has no role here");
      return back("forbidden");
    }
    // An earlier session of this browser ends here. Otherwise a cookie planted before the sign-in would become a
    // signed-in one.
    const before = sessionToken(request);
    if (before !== null) gate.sessions.close(before);
    const { token } = gate.sessions.open({ name, role, print: oidcFingerprint(settings) }, name);
    const isSecure = one.redirectUri.startsWith("https:");
    const cookie = `${cookieName(request)}=${token}; Path=${basePath}/admin; HttpOnly; SameSite=Strict`;
    log.info({ operator: name, role }, "signed in to the console by the identity provider");
    return reply
      .header("set-cookie", [leave, `${cookie}${isSecure ? "; Secure" : ""}`])
      .redirect(`${home}/console${one.to}`, 302);
  });

  const lax = (redirectUri: string) =>
    `Path=${path}; HttpOnly; SameSite=Lax${redirectUri.startsWith("https:") ? "; Secure" : ""}`;
}

const secured = (reply: FastifyReply): FastifyReply =>
  reply
    .header("cache-control", "no-store")
    .header("x-content-type-options", "nosniff")
    // The address that the provider redirects to contains a code, which must not leak as a referrer.
    .header("referrer-policy", "no-referrer");

/** Returns a place below the console. Anything else leads to the first page, so that no link can lead elsewhere. */
function placeIn(to: string): string {
  const home = "http://adapter/console/";
  if (to.length > 2_000 || !URL.canParse(to, home)) return "";
  const { origin, pathname, search } = new URL(to, home);
  return origin === "http://adapter" && pathname.startsWith("/console/")
    ? pathname.slice("/console".length) + search
    : "";
}

/**
 * Returns the value of a cookie. With two cookies of one name it returns null: somebody may have planted one, and we
 * cannot tell which.
 */
function only(cookies: string | undefined, name: string): string | null {
  const own = (cookies ?? "").split(";").flatMap((pair) => (pair.trim().startsWith(`${name}=`) ? [pair.trim()] : []));
  return own.length === 1 && own[0] !== undefined ? own[0].slice(name.length + 1) : null;
}

/** What the provider says about a person. Any member may have any value. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns the highest role that one of the person's groups gives; null if none does. */
export function roleOf(
  claims: Claims,
  { claim, viewer = [], operator = [], admin = [] }: OidcSettings["roles"],
): Role | null {
  const found = claimAt(claims, claim);
  const groups = new Set((Array.isArray(found) ? found : [found]).filter((one) => typeof one === "string"));
  const has = (names: readonly string[]) => names.some((name) => groups.has(name));
  return has(admin) ? "admin" : has(operator) ? "operator" : has(viewer) ? "viewer" : null;
}

const longestName = 100;

/** Returns a name for the audit log, never empty; null if the provider gives none. */
export function nameOf(claims: Claims, nameClaim: string | undefined): string | null {
  const names = nameClaim === undefined ? ["preferred_username", "email", "sub"] : [nameClaim];
  for (const name of names) {
    const found = claimAt(claims, name);
    if (typeof found === "string" && found.trim() !== "") return found.trim().slice(0, longestName);
  }
  return null;
}

/**
 * Finds a claim by its name, or by a path such as `realm_access.roles`. A claim whose name contains the dots is
 * preferred.
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
