import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../../kit/log.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { type Refused, writeRefusal } from "../auth/sender-check.ts";
import type { Session } from "../console/sessions.ts";
import { jsonContentType, writeAnswer } from "../contract/answer.ts";
import { readJson } from "../contract/parse-json-body.ts";
import { type AdminGate, cookieName, forgedOrigin, refusedKey, sessionToken } from "./admin-gate.ts";
import { adminProblem } from "./admin-problem.ts";

export interface SessionRouteNeeds {
  readonly gate: AdminGate;
  readonly log: Log;
  /** The time zone of the site. */
  readonly dates: () => Pick<DateSettings, "timeZone">;
  /** Where a trace can be looked at, with `{traceId}` in place of its id. */
  readonly traceUrl: () => string | undefined;
  readonly basePath: string;
  readonly newReference: () => string;
}

const mostNameCharacters = 100;
const bodyLimitBytes = 16 * 1024;

/** Routes to sign in with a key, to see who is signed in, and to sign out. */
export function sessionRoutes(app: FastifyInstance, needs: SessionRouteNeeds): void {
  const { gate, log, basePath, newReference } = needs;
  const site = (): Site => ({ timeZone: needs.dates().timeZone, traceUrl: needs.traceUrl() });
  const url = `${basePath}/admin/session`;
  const cookiePath = `${basePath}/admin`;
  const refuse = (reply: FastifyReply, refused: Refused) => writeRefusal(reply, refused, newReference);
  const bad = (reply: FastifyReply, field: string, text: string) =>
    writeAnswer(
      reply,
      adminProblem({ status: 400, detail: "Nothing was done.", errors: { [field]: [text] }, traceId: newReference() }),
    );

  app.post(url, { bodyLimit: bodyLimitBytes }, (request, reply) => {
    secured(reply);
    const forged = forgedOrigin(request);
    if (forged !== null) return refuse(reply, { status: 403, detail: forged });
    const { key, name } = givenIn(request);
    if (typeof key !== "string" || key === "") return bad(reply, "key", "must be a key");
    const holder = gate.keys.holderOf(key.trim());
    if (holder === null) {
      const wait = gate.wrongKey(request);
      return refuse(reply, wait > 0 ? refusedKey(wait) : { status: 401, detail: "This key is not known here." });
    }
    const person = holder.name ?? (typeof name === "string" ? name.trim() : "");
    if (person === "" || person.length > mostNameCharacters) {
      return bad(reply, "name", `must be your name, of 1 to ${mostNameCharacters} characters`);
    }
    // An earlier session of this browser ends here. Otherwise a cookie planted before the sign-in would become a
    // signed-in one.
    const before = sessionToken(request);
    if (before !== null) gate.sessions.close(before);
    const { token, session } = gate.sessions.open(holder, person);
    const isSecure = request.headers.origin?.startsWith("https:") === true;
    reply.header("set-cookie", `${cookieName(request)}=${token}; ${attributes(isSecure)}`);
    log.info({ operator: person, role: session.role }, "signed in to the console");
    return send(reply, session, site());
  });

  app.get(url, { onRequest: gate.routeCheck("GET /admin/session") }, (request, reply) => {
    secured(reply);
    const { session, name, role } = gate.principalOf(request);
    return session === null
      ? reply.header("content-type", jsonContentType).send(JSON.stringify({ name, role }))
      : send(reply, session, site());
  });

  app.delete(url, { onRequest: gate.routeCheck("DELETE /admin/session") }, (request, reply) => {
    const token = sessionToken(request);
    if (token !== null) gate.sessions.close(token);
    secured(reply).header("set-cookie", `${cookieName(request)}=; ${attributes(false)}; Max-Age=0`);
    return reply.status(204).send();
  });

  function attributes(isSecure: boolean): string {
    return `Path=${cookiePath}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  }
}

const secured = (reply: FastifyReply): FastifyReply =>
  reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");

/** What a page must know of the configuration. */
interface Site extends Pick<DateSettings, "timeZone"> {
  readonly traceUrl: string | undefined;
}

function send(reply: FastifyReply, { name, role, csrfToken, endsAt, idleEndsAt }: Session, site: Site): FastifyReply {
  const times = { endsAt: new Date(endsAt).toISOString(), idleEndsAt: new Date(idleEndsAt).toISOString() };
  return reply
    .header("content-type", jsonContentType)
    .send(JSON.stringify({ name, role, csrfToken, ...times, ...site }));
}

function givenIn(request: FastifyRequest): { readonly key?: unknown; readonly name?: unknown } {
  // The parsers of this server give bytes, or nothing.
  const json = readJson(request.body as Uint8Array | undefined);
  return "value" in json && typeof json.value === "object" && json.value !== null ? json.value : {};
}
