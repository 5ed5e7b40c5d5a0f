import type { Clock } from "../../kit/time/clock.ts";
import { Fault } from "../../operation/fault.ts";
import type { Answer } from "../answers/read-body.ts";

export interface NewCredentials {
  readonly credentials: SentCredentials;
  /** How long the proof is valid; null if unknown. */
  readonly lifetimeMs: number | null;
  readonly secrets: readonly string[];
}

export interface RenewableNeeds {
  readonly obtain: () => Promise<NewCredentials>;
  readonly clock: Clock;
  readonly isRefused: Authenticator["isRefused"];
  /** Secrets of the login itself, which must never be shown. */
  readonly secrets: readonly string[];
  readonly close: () => void;
}

/** Credentials are renewed when this share of their lifetime is left, so that no request waits for new ones. */
const shareLeft = 0.2;
const longestLeadMs = 300_000;
/** Credentials that expire this soon are not used any more, because clocks differ and requests take time. */
const marginMs = 5_000;
/** How long to wait after a refused login, and after a failed renewal while the old credentials are still valid. */
const restMs = 5_000;

/** Credentials that expire. They are cached while valid, and renewed before they expire, by one request at a time. */
export function renewableCredentials({ obtain, clock, isRefused, secrets, close }: RenewableNeeds): Authenticator {
  let present: (NewCredentials & { readonly obtainedAt: number }) | undefined;
  let obtaining: Promise<SentCredentials> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let refusal: { readonly fault: Fault; readonly at: number } | undefined;

  const isResting = (since: number): boolean => {
    const restedMs = clock.now() - since;
    // Less than zero if the clock was set back: the rest must not last until the old time is reached again.
    return restedMs >= 0 && restedMs < restMs;
  };

  const begin = (): Promise<SentCredentials> => {
    // If every waiting request sent the wrong password again, the user would be locked out.
    if (refusal !== undefined && isResting(refusal.at)) return Promise.reject(refusal.fault);
    obtaining ??= obtain()
      .then((fresh) => {
        present = { ...fresh, obtainedAt: clock.now() };
        refusal = undefined;
        return fresh.credentials;
      })
      .catch((error: unknown) => {
        if (error instanceof Fault && isRefusal(error)) refusal = { fault: error, at: clock.now() };
        throw error;
      })
      .finally(() => {
        obtaining = undefined;
      });
    return obtaining;
  };

  const leftMs = ({ lifetimeMs, obtainedAt }: { lifetimeMs: number | null; obtainedAt: number }): number =>
    lifetimeMs === null ? Number.POSITIVE_INFINITY : obtainedAt + lifetimeMs - clock.now();

  const renewQuietly = () => {
    if (obtaining !== undefined || isResting(failedAt)) return;
    // A failed renewal is not reported while the current credentials still work.
    begin().catch(() => {
      failedAt = clock.now();
    });
  };

  return {
    credentials: () => {
      if (present === undefined) return begin();
      const left = leftMs(present);
      // For a short lifetime the margin is half of it. With the whole margin, every request would log in again.
      if (left <= Math.min(marginMs, (present.lifetimeMs ?? 0) / 2)) return begin();
      if (left < Math.min((present.lifetimeMs ?? 0) * shareLeft, longestLeadMs)) renewQuietly();
      return present.credentials;
    },
    renew: (refused) => {
      // Another request may have renewed the credentials already.
      if (present?.credentials === refused) present = undefined;
      return true;
    },
    isRefused,
    expiresAt: () =>
      present === undefined || present.lifetimeMs === null ? null : present.obtainedAt + present.lifetimeMs,
    secrets: () => [...secrets, ...(present?.secrets ?? [])],
    close,
  };
}

/** Whether the login was refused. Any other failure may be over at once. */
const isRefusal = ({ answer: { status } }: Fault): boolean => status !== undefined && status < 500;

/** Authenticates requests at the external system. */
export interface SentCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface Authenticator {
  /** Throws a Fault if no credentials can be obtained. */
  readonly credentials: () => SentCredentials | Promise<SentCredentials>;
  /**
   * Called if the external system refused these credentials. Returns true if new ones can be obtained; the next call of
   * `credentials` returns them.
   */
  readonly renew: (refused: SentCredentials) => boolean;
  /** Whether an answer means that the credentials were refused. */
  readonly isRefused: (answer: Answer) => boolean;
  /** When the current credentials expire, in milliseconds since 1970; null if never or unknown. */
  readonly expiresAt: () => number | null;
  /** The secrets that must currently never be shown. */
  readonly secrets: () => readonly string[];
  readonly close: () => void;
}
