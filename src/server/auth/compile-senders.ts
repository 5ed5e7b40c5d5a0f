import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { PushTopic } from "../../contract/pushes.ts";
import type { BasicAuth, MtlsAuth } from "../../http-client/auth/auth-kinds.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { callerOf } from "../connection/passed-on.ts";
import { addressMatcher, secretMatcher } from "./sender-check.ts";
import type { SenderOptions } from "./sender-options.ts";
import { type HmacVerifier, hmacVerifier } from "./verify-hmac.ts";
import { type FetchJwks, type TokenVerdict, tokenVerifier } from "./verify-jwt.ts";

export interface SenderSettings {
  readonly senders: Readonly<Record<string, SenderOptions>>;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly fetchJwks: FetchJwks;
}

/** A sender with its verifier, which is one of five kinds. */
export interface KnownSender {
  readonly name: string;
  readonly topics: ReadonlySet<PushTopic> | null;
  readonly isEnabled: boolean;
  readonly isAddress: (address: string) => boolean;
  readonly key?: (given: string) => boolean;
  readonly basic?: (given: { user: string; password: string }) => boolean;
  /** The users whose passwords this sender accepts. */
  readonly users?: readonly string[];
  readonly token?: (token: string) => Promise<TokenVerdict>;
  readonly hmac?: HmacVerifier;
  readonly certificate?: (names: ReadonlySet<string>) => boolean;
  /** How long the ids of this sender's signed deliveries are kept. */
  readonly rememberMs: number;
}

/** The sender name for callers with the adapter's own API key. */
const keySender = "key";

export function compileSenders(needs: SenderSettings): KnownSender[] {
  const everywhere = { topics: null, isEnabled: true, isAddress: () => true, rememberMs: 0 };
  const owner = { ...everywhere, name: keySender, key: secretMatcher([needs.apiKey]) };
  return [owner, ...Object.entries(needs.senders).map(([name, options]) => compile(name, options, needs))];
}

function compile(name: string, options: SenderOptions, needs: SenderSettings): KnownSender {
  const { auth, addresses, topics, enabled } = options;
  const common = {
    name,
    topics: topics === undefined ? null : new Set(topics),
    isEnabled: enabled,
    isAddress: addresses === undefined ? () => true : addressMatcher(addresses),
    rememberMs: auth.kind === "hmac" ? auth.rememberHours * 3_600_000 : 0,
  };
  switch (auth.kind) {
    case "apiKey":
      return { ...common, key: secretMatcher(auth.keys) };
    case "basic":
      return { ...common, basic: basicVerifier(auth), users: auth.users.map(({ username }) => username) };
    case "jwt":
      return { ...common, token: tokenVerifier(auth, needs) };
    case "hmac":
      return { ...common, hmac: hmacVerifier(auth) };
    case "mtls":
      return { ...common, certificate: certificateVerifier(auth) };
  }
}

/** Name and password are compared as one secret: an unknown name takes as long as a wrong password. */
function basicVerifier({ users }: BasicAuth): (given: { user: string; password: string }) => boolean {
  const matches = secretMatcher(users.map((one) => `${one.username}:${one.password}`));
  return ({ user, password }) => matches(`${user}:${password}`);
}

/** The accepted kinds of credentials, for `WWW-Authenticate`. */
export function challengeOf(senders: readonly KnownSender[]): string {
  const isBasic = senders.some(({ basic }) => basic !== undefined);
  return isBasic ? 'Bearer, Basic realm="crossdock", charset="UTF-8"' : "Bearer";
}

/** All names of a client certificate, in the form used under `subjects`. */
export function certificateNames(request: IncomingMessage): ReadonlySet<string> | null {
  const { socket } = request;
  const caller = callerOf(request);
  if (caller !== undefined) return caller.names === null || caller.names.length === 0 ? null : new Set(caller.names);
  // Only a certificate of one of our own authorities is `authorized`; others prove nothing.
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const { subject, subjectaltname, fingerprint256 } = socket.getPeerCertificate();
  if (fingerprint256 === undefined) return null;
  // For a subject with several names Node gives a list, which its declared type omits.
  const common = [(subject as { CN?: string | string[] } | undefined)?.CN ?? []].flat();
  return new Set([
    ...common.map((name) => `CN=${name}`),
    ...alternatives(subjectaltname ?? ""),
    `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`,
  ]);
}

/**
 * Splits `DNS:a, URI:b`. Node writes a value with a comma or a quote as a JSON string, so that it cannot pass for two
 * values.
 */
function alternatives(text: string): string[] {
  const parts = text.matchAll(/(?:^|, )(DNS|URI|email):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/g);
  return [...parts].map(([, kind, value = ""]) => `${kind}:${value.startsWith('"') ? JSON.parse(value) : value}`);
}

function certificateVerifier({ subjects }: MtlsAuth): (names: ReadonlySet<string>) => boolean {
  const wanted = subjects.map(normalSubject);
  return (names) => wanted.some((subject) => names.has(subject));
}

/** People copy fingerprints from many tools, some with colons, some in capitals. */
const normalSubject = (subject: string): string =>
  /^sha256:/i.test(subject) ? `sha256:${subject.slice(7).replaceAll(":", "").toLowerCase()}` : subject;
