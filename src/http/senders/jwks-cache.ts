import type { createLocalJWKSet, JSONWebKeySet, JWTVerifyGetKey } from "jose";
import type { Clock } from "../../kit/clock.ts";

/** The issuer's key document. Throws where it cannot be had. */
export type FetchJwks = (url: string) => Promise<unknown>;

/** The issuer's keys cannot be fetched: a token can be judged neither good nor bad. */
export class KeysUnavailable extends Error {}

export interface JwksCacheNeeds {
  readonly url: string;
  readonly fetchJwks: FetchJwks;
  readonly clock: Clock;
  readonly readSet: typeof createLocalJWKSet;
  readonly isUnknownKey: (error: unknown) => boolean;
}

const freshMs = 10 * 60_000;
/** Keys are good for longer than they are fresh: an issuer that is down must not stop its clients' pushes. */
const usableMs = 24 * 3_600_000;
/** Tokens with made-up key names must not make us ask the issuer each time. */
const cooldownMs = 30_000;

/** The keys of an issuer, fetched when they are needed, kept, and fetched again when a token names a new one. */
export function jwksCache({ url, fetchJwks, clock, readSet, isUnknownKey }: JwksCacheNeeds): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const refresh = (): Promise<void> => {
    if (fetching !== null) return fetching;
    if (clock.now() - triedAt < cooldownMs) return Promise.resolve();
    triedAt = clock.now();
    fetching = (async () => {
      // What is no key set is refused by the reader of it.
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
    else if (ageMs > freshMs) void refresh().catch(() => {});
    if (keys === null || clock.now() - fetchedAt > usableMs) return unavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!isUnknownKey(error)) throw error;
      await refresh().catch(() => {});
      return keys(header, token);
    }
  };
}

function unavailable(cause?: unknown): never {
  throw new KeysUnavailable("the keys of the issuer cannot be fetched", { cause });
}
