import { createPublicKey } from "node:crypto";
import type { createLocalJWKSet, JSONWebKeySet, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import type { JwtAuth } from "../../http-client/auth/auth-kinds.ts";
import type { Clock } from "../../kit/time/clock.ts";

export type TokenVerdict = "right" | "another issuer" | "unavailable" | { readonly wrong: string };

/** Asymmetric signatures only: with a shared-secret algorithm, anybody could sign with the public key as the secret. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const maxTokenLength = 12_000;

export function tokenVerifier(
  auth: JwtAuth,
  { clock, fetchJwks }: { clock: Clock; fetchJwks: FetchJwks },
): (token: string) => Promise<TokenVerdict> {
  const { issuer, audience, clockSkewSeconds, claims = {} } = auth;
  let keys: JWTVerifyGetKey | null = null;

  return async (token) => {
    if (token.length > maxTokenLength) return { wrong: "The token is too long." };
    // Loaded on first use, so that deployments without tokens do not wait for the library.
    const jose = await import("jose");
    if (issuerOf(token, jose.decodeJwt) !== issuer) return "another issuer";
    keys ??= auth.jwksUrl === undefined ? fixedKey(auth.publicKey ?? "") : published(auth.jwksUrl);
    const options: JWTVerifyOptions = {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(clock.now()),
      // A token without an expiry could never be revoked.
      requiredClaims: ["exp"],
    };
    try {
      const { payload } = await jose.jwtVerify(token, keys, options);
      const missing = Object.entries(claims).find(([name, value]) => payload[name] !== value);
      return missing === undefined ? "right" : { wrong: `The token's ${missing[0]} is not the one expected.` };
    } catch (error) {
      if (error instanceof KeysUnavailable) return "unavailable";
      if (error instanceof jose.errors.JWTExpired) return { wrong: "The token has expired." };
      if (error instanceof jose.errors.JWTClaimValidationFailed)
        return { wrong: `The token's ${error.claim} is wrong.` };
      if (error instanceof jose.errors.JWKSNoMatchingKey) return { wrong: "The issuer has no such key." };
      if (error instanceof jose.errors.JOSEError || error instanceof TypeError)
        return { wrong: "The token is not valid." };
      throw error;
    }

    function published(url: string): JWTVerifyGetKey {
      const { createLocalJWKSet: readSet, errors } = jose;
      const isUnknownKey = (error: unknown) => error instanceof errors.JWKSNoMatchingKey;
      return jwksCache({ url, fetchJwks, clock, readSet, isUnknownKey });
    }
  };
}

function fixedKey(pem: string): JWTVerifyGetKey {
  const key = createPublicKey(pem);
  return () => key;
}

/** Reads the issuer before the signature is verified. Only used to find the issuer whose keys verify it. */
function issuerOf(token: string, decode: (token: string) => { iss?: string }): string | undefined {
  try {
    return decode(token).iss;
  } catch {
    return undefined;
  }
}

/** The issuer's key document. Throws if it cannot be fetched. */
export type FetchJwks = (url: string) => Promise<unknown>;

/** Thrown if the issuer's keys cannot be fetched: the token can then be neither accepted nor rejected. */
class KeysUnavailable extends Error {}

interface JwksCacheNeeds {
  readonly url: string;
  readonly fetchJwks: FetchJwks;
  readonly clock: Clock;
  readonly readSet: typeof createLocalJWKSet;
  readonly isUnknownKey: (error: unknown) => boolean;
}

const freshMs = 10 * 60_000;
/** Old keys are still used while the issuer is down: its outage must not stop its clients' pushes. */
const usableMs = 24 * 3_600_000;
/** Tokens with forged key ids must not cause a request to the issuer each time. */
const cooldownMs = 30_000;

/** The keys of an issuer, fetched on demand, cached, and fetched again when a token names a new key. */
function jwksCache({ url, fetchJwks, clock, readSet, isUnknownKey }: JwksCacheNeeds): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const refresh = (): Promise<void> => {
    if (fetching !== null) return fetching;
    const sinceTryMs = clock.now() - triedAt;
    // Less than zero if the clock was set back: the next try must not wait until the old time is reached again.
    if (sinceTryMs >= 0 && sinceTryMs < cooldownMs) return Promise.resolve();
    triedAt = clock.now();
    fetching = (async () => {
      // The library rejects a document that is not a key set.
      keys = readSet((await fetchJwks(url)) as JSONWebKeySet);
      fetchedAt = clock.now();
    })().finally(() => {
      fetching = null;
    });
    return fetching;
  };

  return async (header, token) => {
    const ageMs = clock.now() - fetchedAt;
    if (ageMs > usableMs) await refresh().catch(unavailable);
    // A failed refresh is ignored: the present keys stay usable for a while, and the next request tries again.
    else if (ageMs > freshMs || ageMs < 0) void refresh().catch(() => {});
    if (keys === null || clock.now() - fetchedAt > usableMs) return unavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!isUnknownKey(error)) throw error;
      // If no new keys can be fetched, the next line refuses the token with the old ones.
      await refresh().catch(() => {});
      return keys(header, token);
    }
  };
}

function unavailable(cause?: unknown): never {
  throw new KeysUnavailable("the keys of the issuer cannot be fetched", { cause });
}
