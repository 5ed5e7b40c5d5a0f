import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { PushTopic } from "../../contract/pushes.ts";
import type { BasicAuth, MtlsAuth } from "../../http-client/auth/auth-kinds.ts";
import { addressMatcher, secretMatcher } from "./sender-check.ts";
import { type HmacVerifier, hmacVerifier } from "./verify-hmac.ts";
import { type TokenVerdict, tokenVerifier } from "./verify-jwt.ts";
import type { SenderCheckNeeds } from "./verify-sender.ts";

/** A sender with what it is proven by; one of the five. */
export interface KnownSender {
  readonly name: string;
  readonly topics: ReadonlySet<PushTopic> | null;
  readonly isEnabled: boolean;
  readonly isAddress: (address: string) => boolean;
  readonly key?: (given: string) => boolean;
  readonly basic?: (given: { user: string; password: string }) => boolean;
  /** Whose passwords it has. */
  readonly users?: readonly string[];
  readonly token?: (token: string) => Promise<TokenVerdict>;
  readonly hmac?: HmacVerifier;
  readonly certificate?: (names: ReadonlySet<string>) => boolean;
  /** How long its signed deliveries are remembered. */
  readonly rememberMs: number;
}

/** The name of whoever has the adapter's own API key. */
const keySender = "key";

export function compileSenders(needs: SenderCheckNeeds): KnownSender[] {
  const everywhere = { topics: null, isEnabled: true, isAddress: () => true, rememberMs: 0 };
  const owner = { ...everywhere, name: keySender, key: secretMatcher([needs.apiKey]) };
  return [owner, ...Object.entries(needs.senders).map(([name, options]) => compile(name, options, needs))];
}

function compile(name: string, options: SenderCheckNeeds["senders"][string], needs: SenderCheckNeeds): KnownSender {
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

/** Name and password are one secret: an unknown name takes as long as a wrong password. */
function basicVerifier({ users }: BasicAuth): (given: { user: string; password: string }) => boolean {
  const matches = secretMatcher(users.map((one) => `${one.username}:${one.password}`));
  return ({ user, password }) => matches(`${user}:${password}`);
}

/** What a client may prove itself with, as `WWW-Authenticate` says it. */
export function challengeOf(senders: readonly KnownSender[]): string {
  const isBasic = senders.some(({ basic }) => basic !== undefined);
  return isBasic ? 'Bearer, Basic realm="crossdock", charset="UTF-8"' : "Bearer";
}

/** Everything a client certificate can be known by, as it is written under `subjects`. */
export function certificateNames(request: IncomingMessage): ReadonlySet<string> | null {
  const { socket } = request;
  // Somebody else's certificate is worth nothing: only one of our own authorities makes it `authorized`.
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const { subject, subjectaltname, fingerprint256 } = socket.getPeerCertificate();
  if (fingerprint256 === undefined) return null;
  // Of a subject with several names the driver gives a list, which its declared type does not know.
  const common = [(subject as { CN?: string | string[] } | undefined)?.CN ?? []].flat();
  return new Set([
    ...common.map((name) => `CN=${name}`),
    ...alternatives(subjectaltname ?? ""),
    `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}`,
  ]);
}

/** `DNS:a, URI:b`; a value with a comma or a quote in it comes as a JSON text, so that it cannot pass for two. */
function alternatives(text: string): string[] {
  const parts = text.matchAll(/(?:^|, )(DNS|URI|email):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/g);
  return [...parts].map(([, kind, value = ""]) => `${kind}:${value.startsWith('"') ? JSON.parse(value) : value}`);
}

function certificateVerifier({ subjects }: MtlsAuth): (names: ReadonlySet<string>) => boolean {
  const wanted = subjects.map(normalSubject);
  return (names) => wanted.some((subject) => names.has(subject));
}

/** Fingerprints are copied from many tools: with colons, in capitals. */
const normalSubject = (subject: string): string =>
  /^sha256:/i.test(subject) ? `sha256:${subject.slice(7).replaceAll(":", "").toLowerCase()}` : subject;
