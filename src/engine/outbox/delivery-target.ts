import type { Entry } from "../../journal/entry.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";
import type { RecordSent } from "../../sdk/record-sent.ts";

/** Where entries go: what the outbox needs of a connector. */
export interface DeliveryTarget {
  /** Delivers one entry. Throws a Fault where there is no answer; a refusal is an answer. */
  readonly operate: (entry: Entry, signal: AbortSignal, record?: RecordSent) => Promise<AnyOutcome>;
  readonly timeoutMs: number;
  readonly ratePerSecond?: number;
  /** Deliveries in flight; absent: as many as the outbox gives each target. */
  readonly concurrency?: number;
}
