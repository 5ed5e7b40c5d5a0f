import type { IdempotencyRecord } from "../../journal/idempotency-record.ts";
import type { Accept, Acceptance, StagedPush } from "./accept.ts";
import type { PushedEntry } from "./read-push.ts";

/** A push with idempotency keys. */
export interface KeyedPush {
  readonly keys: readonly string[];
  readonly digest: string;
}

export type KeyedOutcome =
  | Acceptance
  /** The same push came before; the first answer is returned again. */
  | { readonly known: IdempotencyRecord }
  /** A different push came before with one of its keys. */
  | { readonly isOther: true };

/** A push being processed; call `end` in every case. */
export interface OpenPush {
  /** The earlier result for its keys; null if there is none. */
  readonly before: Extract<KeyedOutcome, { known: unknown } | { isOther: unknown }> | null;
  readonly store: (entries: readonly PushedEntry[], note: string, sender?: string) => Promise<KeyedOutcome>;
  /** Stores a push in parts; its end returns the note to store, or null if nothing is to be stored. */
  readonly storeStaged: (
    parts: StagedPush["parts"],
    end: () => Promise<{ readonly note: string } | null>,
  ) => Promise<KeyedOutcome | null>;
  readonly end: () => void;
}

export interface KeyedPushes {
  /** Null while another push with one of these keys is being processed. */
  readonly begin: (
    push: KeyedPush,
    engine: Pick<Accept, "acceptIdempotent" | "acceptStaged" | "recall">,
  ) => OpenPush | null;
}

/**
 * Processes pushes with a key, one at a time per key. The journal stores the key and the entries in one transaction;
 * only running pushes are kept here, so a crash loses nothing that was acknowledged.
 */
export function keyedPushes(): KeyedPushes {
  const underWay = new Set<string>();
  const judged = (record: IdempotencyRecord, { digest }: KeyedPush) =>
    record.digest === digest ? { known: record } : ({ isOther: true } as const);
  return {
    begin: (push, engine) => {
      const { keys, digest } = push;
      if (keys.some((key) => underWay.has(key))) return null;
      for (const key of keys) underWay.add(key);
      const record = engine.recall(keys);
      return {
        before: record === null ? null : judged(record, push),
        store: async (entries, note, sender) => {
          const outcome = await engine.acceptIdempotent({ keys, digest, note }, entries, sender);
          return "known" in outcome ? judged(outcome.known, push) : outcome;
        },
        storeStaged: async (parts, end) => {
          const named = async () => {
            const wanted = await end();
            return wanted === null ? null : { idempotency: { keys, digest, note: wanted.note } };
          };
          const outcome = await engine.acceptStaged({ parts, end: named });
          return outcome !== null && "known" in outcome ? judged(outcome.known, push) : outcome;
        },
        end: () => {
          for (const key of keys) underWay.delete(key);
        },
      };
    },
  };
}
