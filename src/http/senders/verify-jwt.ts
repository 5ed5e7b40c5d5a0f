import { createPublicKey } from "node:crypto";
import type { JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import type { Clock } from "../../kit/clock.ts";
import type { JwtAuth } from "./auth-kinds.ts";
import { type FetchJwks, jwksCache, KeysUnavailable } from "./jwks-cache.ts";

export type TokenVerdict = "right" | "another issuer" | "unavailable" | { readonly wrong: string };

/** Signatures by private keys only: with a shared-secret algorithm, anybody could sign with the public key. */
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
    // Loaded only where tokens come: nobody else waits for the library.
    const jose = await import("jose");
    if (issuerOf(token, jose.decodeJwt) !== issuer) return "another issuer";
    keys ??= auth.jwksUrl === undefined ? fixedKey(auth.publicKey ?? "") : published(auth.jwksUrl);
    const options: JWTVerifyOptions = {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(clock.now()),
      // A token that never ends could never be taken back.
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

/** Not proven yet: only to find out whose keys have to prove it. */
function issuerOf(token: string, decode: (token: string) => { iss?: string }): string | undefined {
  try {
    return decode(token).iss;
  } catch {
    return undefined;
  }
}
