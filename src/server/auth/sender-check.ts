import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PushTopic } from "../../contract/pushes.ts";
import { contains, networkOf } from "../../http-client/network/address-guard.ts";
import { callerOf } from "../connection/passed-on.ts";
import { jsonContentType, problemAnswer, writeAnswer } from "../contract/answer.ts";

/** Somebody who may push. */
export interface Verified {
  /** The name under `senders`, or `key` for the adapter's own API key. */
  readonly sender: string;
  /** The topics that this sender may push; null means all. */
  readonly topics: ReadonlySet<PushTopic> | null;
  /**
   * For signed requests: the unique id of this delivery, which stays the same when it is sent again. It is also an
   * idempotency key of the journal, which covers the time between storing the push and storing its id.
   */
  readonly deliveryId?: string;
}

/**
 * Why a request is refused; nothing is stored. 200: this delivery was stored before, and the sender may stop repeating
 * it. 409: it is being stored now. 503: the issuer's keys cannot be fetched, so the token cannot be checked.
 */
export interface Refused {
  readonly status: 200 | 400 | 401 | 403 | 409 | 429 | 503;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  /** The accepted kinds of credentials, sent as `WWW-Authenticate`. */
  readonly challenge?: string;
}

export interface SenderCheck {
  /**
   * Rejects unknown callers before their body is read. Null means: read the body, then `check` decides. Call it in
   * `onRequest`; otherwise anybody could make the adapter receive whole bodies.
   */
  readonly beforeBody: (request: FastifyRequest) => Promise<Refused | null>;
  /** Needs the original bytes: a signature is valid only for those. */
  readonly check: (request: FastifyRequest, rawBody: Uint8Array) => Promise<Verified | Refused>;
  /** Checks a read request, which may be repeated, even with the same signature. */
  readonly checkQuery: (request: FastifyRequest) => Promise<Verified | Refused>;
}

export type OpenRoutes = "status" | "health" | "docs";

export interface PlatformGuard {
  readonly judge: (request: FastifyRequest) => Promise<Refused | null>;
  /** Routes that are answered without credentials. */
  readonly openRoutes: readonly OpenRoutes[];
}

export const isRefused = (verdict: Verified | Refused): verdict is Refused => "status" in verdict;

export const mayPush = ({ topics }: Verified, topic: PushTopic): boolean => topics === null || topics.has(topic);

/** Writes a rejection as problem details; a repeated delivery is answered as a success. */
export function writeRefusal(reply: FastifyReply, refused: Refused, newReference: () => string): FastifyReply {
  const { status, detail, retryAfterSeconds, challenge } = refused;
  if (status === 200) {
    const body = JSON.stringify({ repeated: true, detail });
    return writeAnswer(reply, { status, contentType: jsonContentType, body });
  }
  if (challenge !== undefined) reply.header("www-authenticate", challenge);
  if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
  return writeAnswer(reply, problemAnswer({ status, detail, traceId: newReference() }));
}

/** Returns a test whether an address is in one of the networks. A text that is not an address matches nothing. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const lists = networks.flatMap((network) => networkOf(network) ?? []);
  return (address) => isIP(address) !== 0 && lists.some((list) => contains(list, address));
}

/**
 * The caller's address. Behind a trusted proxy, it is the last address of `X-Forwarded-For` that is not such a proxy:
 * the ones before it were written by the caller and may be forged.
 */
export function clientAddress(request: Pick<FastifyRequest, "raw">, isProxy: (address: string) => boolean): string {
  let address = plainAddress(callerOf(request.raw)?.address ?? request.raw.socket.remoteAddress ?? "");
  if (!isProxy(address)) return address;
  const header = request.raw.headers["x-forwarded-for"];
  const hops = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  for (const hop of hops.reverse()) {
    const next = plainAddress(withoutPort(hop.trim()));
    if (isIP(next) === 0) return address;
    address = next;
    if (!isProxy(address)) return address;
  }
  return address;
}

/** Some proxies, such as IIS, write the caller's port too: `192.0.2.1:4711`, `"[2001:db8::1]:4711"`. */
const withoutPort = (hop: string): string => {
  const [, bracketed, plain] = /^"?(?:(\[[^\]"]*\])|([\d.]+))(?::\d{1,5})?"?$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
};

/** An IPv4-mapped IPv6 address becomes the IPv4 address, because configured lists contain that form. */
const plainAddress = (address: string): string => {
  const bare = address.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return inner ?? bare;
};

/** The credentials in a request, not yet verified. */
export interface Credentials {
  /** `Authorization: Bearer …` or `X-Api-Key`: a key, or a token. */
  readonly key?: string;
  readonly basic?: { readonly user: string; readonly password: string };
}

export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const { authorization = "", "x-api-key": apiKey } = headers;
  const bearer = /^bearer +(\S+)\s*$/i.exec(authorization)?.[1];
  const key = bearer ?? (typeof apiKey === "string" && apiKey !== "" ? apiKey : undefined);
  const basic = /^basic +([A-Za-z0-9+/_=-]+)\s*$/i.exec(authorization)?.[1];
  return { ...(key === undefined ? {} : { key }), ...(basic === undefined ? {} : userOf(basic)) };
}

function userOf(encoded: string): Pick<Credentials, "basic"> {
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? {} : { basic: { user: text.slice(0, colon), password: text.slice(colon + 1) } };
}

/** Three parts separated by dots. Whether the token is valid is checked later. */
export const looksLikeToken = (key: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(key);

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Whether a text is one of the secrets. Both sides are hashed and all secrets are compared, so that the time does not
 * depend on what was sent, its length, or which secret matches.
 */
export function secretMatcher(secrets: readonly string[]): (given: string) => boolean {
  const expected = secrets.map(digest);
  return (given) => {
    const sent = digest(given);
    let found = false;
    for (const one of expected) found = timingSafeEqual(sent, one) || found;
    return found;
  };
}
