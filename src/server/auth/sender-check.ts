import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PushTopic } from "../../contract/pushes.ts";
import { contains, networkOf } from "../../http-client/network/address-guard.ts";
import { jsonContentType, problemAnswer, writeAnswer } from "../contract/answer.ts";

/** Somebody who may push. */
export interface Verified {
  /** Name under `senders`, or `key` for the adapter's own API key. */
  readonly sender: string;
  /** What this sender may push; null: everything. */
  readonly topics: ReadonlySet<PushTopic> | null;
  /**
   * Signed requests only: the one name of this delivery, the same whenever it is sent again. Given to the journal as
   * idempotency key it closes the moment between storing a push and remembering that it was stored.
   */
  readonly deliveryId?: string;
}

/**
 * Nothing is to be stored. 200: this very delivery was stored before, and the sender may stop repeating it. 409: it is
 * being stored just now. 503: the keys of the issuer cannot be fetched, so nobody can say.
 */
export interface Refused {
  readonly status: 200 | 401 | 403 | 409 | 429 | 503;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  /** What a client may prove itself with, for `WWW-Authenticate`. */
  readonly challenge?: string;
}

export interface SenderCheck {
  /**
   * Turns strangers away before their body is read. Null: go on and read it; `check` has the last word. To be called
   * in `onRequest`: without it anybody could make us take in whole bodies.
   */
  readonly beforeBody: (request: FastifyRequest) => Promise<Refused | null>;
  /** The bytes as they came: a signature holds for those only. */
  readonly check: (request: FastifyRequest, rawBody: Uint8Array) => Promise<Verified | Refused>;
  /** The same for a request that only asks: it may come again and again, also with the same signature. */
  readonly checkQuery: (request: FastifyRequest) => Promise<Verified | Refused>;
}

export const isRefused = (verdict: Verified | Refused): verdict is Refused => "status" in verdict;

export const mayPush = ({ topics }: Verified, topic: PushTopic): boolean => topics === null || topics.has(topic);

/** Says no as problem details; says that a repeated delivery was taken before as the success it is. */
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

/** Whether an address lies in one of the networks; a text that is none matches nothing. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const lists = networks.flatMap((network) => networkOf(network) ?? []);
  return (address) => isIP(address) !== 0 && lists.some((list) => contains(list, address));
}

/**
 * Who calls. Behind a proxy that is trusted, the last address of `X-Forwarded-For` that is not itself such a proxy:
 * everything before it was written by the caller, and may be made up.
 */
export function clientAddress(request: Pick<FastifyRequest, "raw">, isProxy: (address: string) => boolean): string {
  let address = plainAddress(request.raw.socket.remoteAddress ?? "");
  if (!isProxy(address)) return address;
  const header = request.raw.headers["x-forwarded-for"];
  const hops = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  for (const hop of hops.reverse()) {
    const next = plainAddress(hop.trim());
    if (isIP(next) === 0) return address;
    address = next;
    if (!isProxy(address)) return address;
  }
  return address;
}

/** An IPv4 address in IPv6 clothes is the IPv4 address: lists are written with that. */
const plainAddress = (address: string): string => {
  const bare = address.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return inner ?? bare;
};

/** What a request shows about who sends it, not yet judged. */
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

/** Three parts with dots between them; whether it is a good one is another question. */
export const looksLikeToken = (key: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(key);

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Whether a text is one of the secrets. Both sides are hashed first and all of them are compared, so that it takes the
 * same time whatever was sent, however long it was and whichever of them it is.
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
