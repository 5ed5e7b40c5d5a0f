import type { Entry, OpenEntry } from "../../journal/entry.ts";
import type { PersonAction } from "../../journal/journal.ts";
import type { Sign } from "../../kit/circuit-breaker.ts";
import type { UserCount } from "../../kit/user-count.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { RecordSent } from "../../operation/record-sent.ts";

/** Delivers open entries to their targets: one at a time per lane, in order, for as long as it takes. */
export interface Outbox {
  /** Takes over entries that were just stored; those already known are left alone. */
  readonly add: (entries: readonly OpenEntry[]) => void;
  /**
   * Takes over an entry that was just stored, in the place of some that are no longer open by the journal's word: it gets
   * the turn of the first of them. One that is being started just now finds out by itself.
   */
  readonly replace: (seqs: readonly number[], open: OpenEntry) => void;
  /**
   * To be called before an entry that will be queued is stored: until the returned function is called with
   * what came of it, nobody may reserve its lanes. Otherwise a later event, delivered by its caller, would
   * overtake an earlier one that is still on its way into the journal.
   */
  readonly announce: (lanes: readonly string[], target: string) => (stored: readonly OpenEntry[]) => void;
  /**
   * Keeps the lanes for a delivery by the caller. Null where one of them is busy: an earlier entry is open,
   * held, or waits for a person; and where the target is paused or in trouble.
   * Synchronous, so that of two events at the same instant only one gets it.
   */
  readonly reserve: (lanes: readonly string[], target: string) => Reservation | null;
  /**
   * What a person decides on an entry: the journal's `act`, after which what is freed goes on and what is
   * no longer open is forgotten at once. Null where the entry's state does not allow it.
   */
  readonly act: (
    seq: number,
    action: PersonAction,
    operator: string,
    at: number,
  ) => Promise<readonly OpenEntry[] | null>;
  /** No deliveries to this target until it is resumed; entries wait, visible and counted. */
  readonly pause: (target: string) => void;
  readonly resume: (target: string) => void;
  /** Deliveries go to these from now on, each within its own limits; those in flight end where they began. */
  readonly retarget: (targets: ReadonlyMap<string, DeliveryTarget>) => void;
  readonly overview: () => readonly TargetOverview[];
  /** Starts nothing new and waits for what is under way; what is not done by then is given back. */
  readonly stop: (withinMs: number) => Promise<void>;
}

export interface Reservation {
  /**
   * Gives the lanes back; with an entry where its delivery is to go on in the background, and with what the
   * attempt said about the target, so that its breaker learns from it.
   */
  readonly release: (goesOn?: OpenEntry | null, sign?: Sign) => void;
}

export interface TargetOverview {
  readonly target: string;
  readonly isPaused: boolean;
  readonly breaker: "closed" | "open" | "half-open";
  /** Entries waiting for their turn: those in memory, and those that have come since memory was full. */
  readonly waiting: number;
  readonly inFlight: number;
  /** When the oldest of them was received; null where none waits. Those behind a dead entry wait for a person instead. */
  readonly oldestAt?: number | null;
  /** How many may be in flight now; grows again after trouble. */
  readonly concurrency: number;
}

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
