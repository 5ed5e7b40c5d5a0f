import type { FastifyRequest } from "fastify";
import type { PushTopic } from "../../contract/pushes.ts";

/** Somebody who may push. */
export interface Verified {
  /** Name under `senders`, or `key` for the adapter's own API key. */
  readonly sender: string;
  /** What this sender may push; null: everything. */
  readonly topics: ReadonlySet<PushTopic> | null;
  /**
   * Signed requests only: the one name of this delivery, the same whenever it is sent again. Given to the journal as
   * idempotency key it closes the moment between storing a push and remembering that it was stored.
   */
  readonly deliveryId?: string;
}

/**
 * Nothing is to be stored. 200: this very delivery was stored before, and the sender may stop repeating it. 409: it is
 * being stored just now. 503: the keys of the issuer cannot be fetched, so nobody can say.
 */
export interface Refused {
  readonly status: 200 | 401 | 403 | 409 | 429 | 503;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  /** What a client may prove itself with, for `WWW-Authenticate`. */
  readonly challenge?: string;
}

export interface SenderCheck {
  /**
   * Turns strangers away before their body is read. Null: go on and read it; `check` has the last word. To be called
   * in `onRequest`: without it anybody could make us take in whole bodies.
   */
  readonly beforeBody: (request: FastifyRequest) => Promise<Refused | null>;
  /** The bytes as they came: a signature holds for those only. */
  readonly check: (request: FastifyRequest, rawBody: Uint8Array) => Promise<Verified | Refused>;
  /** The same for a request that only asks: it may come again and again, also with the same signature. */
  readonly checkQuestion: (request: FastifyRequest) => Promise<Verified | Refused>;
}

export const isRefused = (verdict: Verified | Refused): verdict is Refused => "status" in verdict;

export const mayPush = ({ topics }: Verified, topic: PushTopic): boolean => topics === null || topics.has(topic);
