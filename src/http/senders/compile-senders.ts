import type { PushTopic } from "../../contract/pushes.ts";
import { addressMatcher } from "./client-address.ts";
import { secretMatcher } from "./secret-matcher.ts";
import { basicVerifier } from "./verify-basic.ts";
import { certificateVerifier } from "./verify-certificate.ts";
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
    case "key":
      return { ...common, key: secretMatcher(auth.keys) };
    case "basic":
      return { ...common, basic: basicVerifier(auth), users: auth.users.map(({ user }) => user) };
    case "jwt":
      return { ...common, token: tokenVerifier(auth, needs) };
    case "hmac":
      return { ...common, hmac: hmacVerifier(auth) };
    case "certificate":
      return { ...common, certificate: certificateVerifier(auth) };
  }
}
