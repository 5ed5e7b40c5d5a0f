import type { Clock } from "../../kit/time/clock.ts";

export interface FreshProof {
  readonly proof: Proof;
  /** How long it will be taken; null where nobody says. */
  readonly lifetimeMs: number | null;
  readonly secrets: readonly string[];
}

export interface RenewableNeeds {
  readonly obtain: () => Promise<FreshProof>;
  readonly clock: Clock;
  readonly refusedStatuses: readonly number[];
  /** What the obtaining itself must never show. */
  readonly secrets: readonly string[];
  readonly close: () => void;
}

/** A proof is renewed when this much of its life is left, so that nobody ever waits for a new one. */
const shareLeft = 0.2;
const longestLeadMs = 300_000;
/** Clocks differ and requests take their time: a proof that ends this soon is not sent any more. */
const marginMs = 5_000;
/** How long after a failed renewal the next one may begin while the old proof still holds. */
const restMs = 5_000;

/** A proof that ends: kept while it is good, renewed before its end, by one request at a time. */
export function renewableProof({ obtain, clock, refusedStatuses, secrets, close }: RenewableNeeds): Authenticator {
  let present: (FreshProof & { readonly obtainedAt: number }) | undefined;
  let obtaining: Promise<Proof> | undefined;
  let restUntil = 0;

  const begin = (): Promise<Proof> => {
    obtaining ??= obtain()
      .then((fresh) => {
        present = { ...fresh, obtainedAt: clock.now() };
        return fresh.proof;
      })
      .finally(() => {
        obtaining = undefined;
      });
    return obtaining;
  };

  const leftMs = ({ lifetimeMs, obtainedAt }: { lifetimeMs: number | null; obtainedAt: number }): number =>
    lifetimeMs === null ? Number.POSITIVE_INFINITY : obtainedAt + lifetimeMs - clock.now();

  const renewQuietly = () => {
    if (obtaining !== undefined || clock.now() < restUntil) return;
    // Whoever needs a proof once this one has ended gets the fault; until then nobody is hurt.
    begin().catch(() => {
      restUntil = clock.now() + restMs;
    });
  };

  return {
    proof: () => {
      if (present === undefined) return begin();
      const left = leftMs(present);
      // A life shorter than the margin is used up all the same: else every request would log in anew.
      if (left <= Math.min(marginMs, (present.lifetimeMs ?? 0) / 2)) return begin();
      if (left < Math.min((present.lifetimeMs ?? 0) * shareLeft, longestLeadMs)) renewQuietly();
      return present.proof;
    },
    renew: (refused) => {
      // Another request may have found out first, and the present proof be a new one already.
      if (present?.proof === refused) present = undefined;
      return true;
    },
    refusedStatuses,
    expiresAt: () =>
      present === undefined || present.lifetimeMs === null ? null : present.obtainedAt + present.lifetimeMs,
    secrets: () => [...secrets, ...(present?.secrets ?? [])],
    close,
  };
}

/** What shows the external system who asks. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface Authenticator {
  /** Throws a Fault where there is none to be had. */
  readonly proof: () => Proof | Promise<Proof>;
  /** The external system did not take this proof. True where another one can be had, which the next call of `proof` gets. */
  readonly renew: (refused: Proof) => boolean;
  /** Which statuses mean that a proof was not taken. */
  readonly refusedStatuses: readonly number[];
  /** When the present proof ends, in milliseconds since 1970; null where it does not, or where that is not known. */
  readonly expiresAt: () => number | null;
  /** What must never be shown, as of now. */
  readonly secrets: () => readonly string[];
  readonly close: () => void;
}
