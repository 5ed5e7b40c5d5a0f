import type { IdempotencyRecord } from "../../journal/idempotency-record.ts";
import type { Accept, Acceptance, StagedPush } from "./accept.ts";
import type { PushedEntry } from "./read-push.ts";

/** A push with names of its own. */
export interface KeyedPush {
  readonly keys: readonly string[];
  readonly digest: string;
}

export type KeyedOutcome =
  | Acceptance
  /** It came before; its answer is to be given again. */
  | { readonly known: IdempotencyRecord }
  /** Something else came before under one of its names. */
  | { readonly isOther: true };

/** A push that is being worked on; to be ended whatever becomes of it. */
export interface OpenPush {
  /** What came before under its names; null where nothing did. */
  readonly before: Extract<KeyedOutcome, { known: unknown } | { isOther: unknown }> | null;
  readonly store: (entries: readonly PushedEntry[], note: string, sender?: string) => Promise<KeyedOutcome>;
  /** The same for one that comes in parts: its end gives the note, or null where nothing of it is to be stored. */
  readonly storeStaged: (
    parts: StagedPush["parts"],
    end: () => Promise<{ readonly note: string } | null>,
  ) => Promise<KeyedOutcome | null>;
  readonly end: () => void;
}

export interface PushDesk {
  /** Null while another push with one of these names is being worked on. */
  readonly begin: (
    push: KeyedPush,
    engine: Pick<Accept, "acceptIdempotent" | "acceptStaged" | "recall">,
  ) => OpenPush | null;
}

/**
 * Takes pushes with a key, one at a time for each key. What was taken is in the journal with its entries, in one
 * transaction; so the only thing kept here is what is under way, and a crash loses nothing that was promised.
 */
export function pushDesk(): PushDesk {
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
