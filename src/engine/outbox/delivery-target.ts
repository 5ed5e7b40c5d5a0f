import type { Entry } from "../../journal/entry.ts";
import type { UserCount } from "../../kit/user-count.ts";
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
  /** What it calls. Where a new target calls the very same within the same limits, what is known of the old one still holds. */
  readonly systems?: readonly object[];
  /** Who uses the snapshot that it belongs to: each call counts until it has really ended. */
  readonly users?: UserCount;
}

/** Whether the same systems are called within the same limits. */
export function isSameTarget(one: DeliveryTarget, other: DeliveryTarget): boolean {
  const [own, theirs] = [one.systems, other.systems];
  return (
    own !== undefined &&
    own.length === theirs?.length &&
    own.every((system, index) => system === theirs[index]) &&
    one.timeoutMs === other.timeoutMs &&
    one.concurrency === other.concurrency &&
    one.ratePerSecond === other.ratePerSecond
  );
}
