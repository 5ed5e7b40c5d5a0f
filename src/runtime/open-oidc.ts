import { isDeepStrictEqual } from "node:util";
import { httpClient } from "../http-client/http-client.ts";
import { systemNetwork } from "../http-client/network/proxy-choice.ts";
import { Fault } from "../operation/fault.ts";
import type { OidcSettings } from "../server/auth/admin-access.ts";
import { isLoopback } from "../server/connection/host-guard.ts";
import { type Claims, claimAt, type IdentityProvider, type OidcDriver } from "../server/oidc/oidc-routes.ts";

const timeouts = { connectMs: 3_000, headersMs: 10_000, totalMs: 10_000 };
const maxAnswerBytes = 512 * 1024;
const rediscoverMs = 3_600_000;

type Library = typeof import("openid-client");

/** The provider of one configuration. If its settings are unchanged, the previous one is kept with what it has found. */
export function identityProvider(
  settings: OidcSettings | undefined,
  before: IdentityProvider | null,
  now: () => number,
): IdentityProvider | null {
  if (settings === undefined) return null;
  if (before !== null && isDeepStrictEqual(before.settings, settings)) return before;
  return { settings, driver: openOidc(settings, now) };
}

/** Its library is loaded at the first sign-in. */
function openOidc(settings: OidcSettings, now: () => number): OidcDriver {
  let known: { readonly at: number; readonly found: Promise<Found> } | null = null;
  const provider = (): Promise<Found> => {
    if (known === null || now() - known.at >= rediscoverMs || now() < known.at) {
      const found = discover(settings);
      known = { at: now(), found };
      // A provider that was down is asked again at the next sign-in.
      found.catch(() => {
        known = null;
      });
    }
    return known.found;
  };
  return {
    begin: async (redirectUri) => {
      const { library, configuration } = await provider();
      const pending = {
        verifier: library.randomPKCECodeVerifier(),
        state: library.randomState(),
        nonce: library.randomNonce(),
      };
      const url = library.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUri, scope: settings.scope, state: pending.state, nonce: pending.nonce },
        code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, pending };
    },
    finish: async (cameBackTo, { verifier, state, nonce }) => {
      const { library, configuration } = await provider();
      const tokens = await library.authorizationCodeGrant(configuration, cameBackTo, {
        ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
      });
      const claims: Claims = { ...tokens.claims() };
      // Some providers return groups and names only at this address.
      const isEnough = claimAt(claims, settings.roles.claim) !== undefined;
      if (isEnough || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      const more = await library.fetchUserInfo(configuration, tokens.access_token, String(claims["sub"]));
      return { ...more, ...claims };
    },
  };
}

interface Found {
  readonly library: Library;
  readonly configuration: import("openid-client").Configuration;
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Found> {
  const library = await import("openid-client").catch((error: unknown) => {
    throw new Fault("invalid", "sign-in by a provider needs the library openid-client: npm install openid-client", {
      cause: error,
    });
  });
  const url = new URL(issuer);
  const configuration = await library.discovery(url, clientId, clientSecret, undefined, {
    [library.customFetch]: throughOurClient,
    execute: [
      // Without this check the library trusts the connection to the provider and does not check the signature of its
      // tokens.
      library.enableNonRepudiationChecks,
      // Plain HTTP is allowed only on this machine: on a network, a code or a secret in plain text could be read.
      ...(url.protocol === "http:" && isLoopback(url.hostname) ? [library.allowInsecureRequests] : []),
    ],
  });
  return { library, configuration };
}

/** Sends the library's requests with our own HTTP client, with its limits and proxies. */
const throughOurClient: import("openid-client").CustomFetch = async (address, { method, headers, body, signal }) => {
  const url = new URL(address);
  const client = httpClient({
    // Many providers run in the same private network as the adapter.
    ...{ url, allowPrivate: true, timeouts, maxAnswerBytes, decodes: false, ...systemNetwork },
  });
  try {
    const text = body === undefined || body === null ? undefined : Buffer.from(String(body));
    const length = text === undefined ? {} : { "content-length": String(text.length) };
    const answer = await client.send({
      ...{ method, url, headers: { ...headers, ...length }, body: text },
      signal: signal ?? AbortSignal.timeout(timeouts.totalMs),
    });
    if (answer.unread !== null) throw new Error(`${url.origin} answered too much`);
    const given = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const hasBody = answer.status !== 204 && answer.status !== 304;
    return new Response(hasBody ? new Uint8Array(answer.body) : null, { status: answer.status, headers: given });
  } finally {
    client.close();
  }
};
