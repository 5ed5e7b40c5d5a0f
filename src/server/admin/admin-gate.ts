import type { FastifyReply, FastifyRequest } from "fastify";
import { adminRow, isAdminRoute } from "../../contract/admin/admin-rows.ts";
import { readQuery } from "../../contract/derive/match-route.ts";
import { type Clock, systemClock } from "../../kit/time/clock.ts";
import { type AccessSettings, type AdminKeys, adminKeys, mayAct, type Role } from "../auth/admin-access.ts";
import { type FailureDelays, failureDelays } from "../auth/failure-delays.ts";
import { clientAddress, credentialsOf, type Refused, secretMatcher, writeRefusal } from "../auth/sender-check.ts";
import { openSessions, type Session, type Sessions } from "../console/sessions.ts";

/** Who makes a request. */
export interface Principal {
  /** Null for the adapter's own key without a session: then the request names the person. */
  readonly name: string | null;
  readonly role: Role;
  /** Null for a request with a key. */
  readonly session: Session | null;
}

type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Decides who may use the admin routes. */
export interface AdminGate {
  readonly keys: AdminKeys;
  readonly sessions: Sessions;
  /**
   * The `onRequest` check of a route, with the role that the route table demands. It rejects callers before their body
   * is read; otherwise anybody could make the adapter receive 64 MiB. A route missing from the table fails the start.
   */
  readonly routeCheck: (route: string) => Check;
  /** Only valid after `routeCheck` has let the request pass. */
  readonly principalOf: (request: FastifyRequest) => Principal;
  /** Counts a wrong key. Returns how many seconds this address has to wait; 0 if it may try again. */
  readonly wrongKey: (request: FastifyRequest) => number;
}

export interface AdminGateNeeds {
  readonly apiKey: string;
  readonly newReference: () => string;
  /** Called for every request, because a reload can change the settings. */
  readonly settings?: () => AccessSettings;
  readonly clock?: Clock;
  readonly failures?: FailureDelays;
}

export const defaultAccess: AccessSettings = { users: {}, idleMinutes: 60, sessionHours: 12 };

export function adminGate(needs: AdminGateNeeds): AdminGate {
  const { newReference, clock = systemClock, settings = () => defaultAccess } = needs;
  const { failures = failureDelays({ clock }) } = needs;
  const keys = adminKeys(needs.apiKey, settings);
  const sessions = openSessions({ keys, settings, clock });
  const principals = new WeakMap<FastifyRequest, Principal>();
  const wrongKey = (request: FastifyRequest) => failures.failed({ address: clientAddress(request, () => false) });

  const identify = (request: FastifyRequest): Principal | Refused => {
    const { key } = credentialsOf(request.headers);
    // The key is checked before the cookie: a caller chooses to send a key, but a browser sends the cookie also for
    // requests that other pages cause.
    if (key !== undefined) {
      const holder = keys.holderOf(key);
      return holder === null ? refusedKey(wrongKey(request)) : { name: holder.name, role: holder.role, session: null };
    }
    const token = sessionToken(request);
    const session = token === null ? null : isUnattended(request) ? sessions.find(token) : sessions.use(token);
    if (session === null) return noKey;
    const forged = isReading(request) ? null : (forgedOrigin(request) ?? forgedToken(request, session));
    return forged === null ? { name: session.name, role: session.role, session } : { status: 403, detail: forged };
  };

  const check =
    (role: Role): Check =>
    async (request, reply) => {
      const found = identify(request);
      if ("status" in found) return writeRefusal(reply, found, newReference);
      if (!mayAct(found.role, role)) {
        const detail = `This needs the role ${role}; yours is ${found.role}.`;
        return writeRefusal(reply, { status: 403, detail }, newReference);
      }
      const [twice] = twiceIn(request.url);
      if (twice !== undefined) {
        const detail = `${JSON.stringify(twice)} is given twice in the address. Keep one.`;
        return writeRefusal(reply, { status: 400, detail }, newReference);
      }
      principals.set(request, found);
      return undefined;
    };

  return {
    keys,
    sessions,
    wrongKey,
    routeCheck: (route) => {
      const role = isAdminRoute(route) ? adminRow(route).role : undefined;
      if (role === undefined) throw new Error(`no role is known for ${route}`);
      return check(role);
    },
    principalOf: (request) => {
      const principal = principals.get(request);
      if (principal === undefined) throw new Error("the route does not check who calls it");
      return principal;
    },
  };
}

const noKey: Refused = {
  status: 401,
  detail: "Send the API key as `Authorization: Bearer KEY` or `X-Api-Key: KEY`.",
  challenge: "Bearer",
};

/** A request without a key does not count as a guess. Wrong keys of others never delay the right key. */
export const refusedKey = (retryAfterSeconds: number): Refused =>
  retryAfterSeconds === 0
    ? noKey
    : {
        status: 429,
        detail: `Too many wrong keys from this address. Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      };

/** Names of the query that are given more than once: of two filters, nobody can say which is meant. */
function twiceIn(url: string): readonly string[] {
  const names: string[] = [];
  readQuery(url.split("?", 2)[1] ?? "", (name) => names.push(name));
  return names;
}

const isReading = ({ method }: FastifyRequest) => method === "GET" || method === "HEAD";
/** A stream, or a page that loads by itself while nobody is there: neither is a use of the session. */
const isUnattended = ({ headers }: FastifyRequest) =>
  headers.accept === "text/event-stream" || headers["x-unattended"] !== undefined;

/**
 * Returns why the origin is refused, or null. Another web page can make a browser send our cookies, but it cannot hide
 * its own origin.
 */
export function forgedOrigin({ headers }: FastifyRequest): string | null {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin") return "This request comes from another web page.";
  // A proxy may end TLS, so the scheme may differ. Host name and port must be the same.
  const isOwn = origin !== undefined && host !== undefined && /^https?:\/\//.test(origin) && hostIn(origin) === host;
  return isOwn ? null : "This request comes from another web page.";
}

const hostIn = (origin: string): string => origin.slice(origin.indexOf("//") + 2);

function forgedToken({ headers }: FastifyRequest, { csrfToken }: Session): string | null {
  const given = headers["x-csrf-token"];
  const isRight = typeof given === "string" && secretMatcher([csrfToken])(given);
  return isRight ? null : "The token of the session is missing or wrong. Reload the page.";
}

/**
 * Browsers share cookies between ports. Without the port in the name, two adapters on one machine would share a
 * session.
 */
export const cookieName = ({ socket }: Pick<FastifyRequest, "socket">): string =>
  `crossdock_session_${socket.localPort ?? 0}`;

export function sessionToken(request: FastifyRequest): string | null {
  const start = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(start));
  // Two cookies of one name: somebody may have planted one, and we cannot tell which.
  const [only] = own;
  return own.length === 1 && only !== undefined ? only.slice(start.length) : null;
}
