import type { Entry, OpenEntry, Verdict } from "../../journal/entry.ts";
import type { Journal, PersonAction } from "../../journal/journal.ts";
import type { CallResult } from "../../kit/circuit-breaker.ts";
import type { UserCount } from "../../kit/current-snapshot.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { RecordSent } from "../../operation/record-sent.ts";
import type { DeliveryProgress } from "../../sdk/connector.ts";

/** Delivers open entries to their targets: one at a time per lane, in order, until they are delivered or dead. */
export interface Outbox {
  /** Takes over entries that were just stored; known ones are ignored. */
  readonly add: (entries: readonly OpenEntry[]) => void;
  /**
   * Takes over an entry that was just stored and replaces others that are no longer open in the journal. It gets the
   * turn of the first of them. If one of them is being started at this moment, its start finds it closed.
   */
  readonly replace: (seqs: readonly number[], open: OpenEntry) => void;
  /**
   * Call this before storing an entry that will be queued: nobody can reserve its lanes until the returned function is
   * called with the stored entry. Otherwise a later event, delivered by its caller, would overtake an earlier one that
   * is still being written to the journal.
   */
  readonly announce: (lanes: readonly string[], target: string) => (stored: readonly OpenEntry[]) => void;
  /**
   * Reserves the lanes for a delivery by the caller. Null if a lane is busy (an earlier entry is open, held or dead),
   * or if the target is paused or down. Synchronous, so that only one of two simultaneous events succeeds.
   */
  readonly reserve: (lanes: readonly string[], target: string) => Reservation | null;
  /**
   * Applies an operator's decision on an entry in the journal. Released entries are then delivered, and entries no
   * longer open are dropped from memory. Null if the entry's state does not allow it.
   */
  readonly act: (
    seq: number,
    action: PersonAction,
    operator: string,
    at: number,
  ) => Promise<readonly OpenEntry[] | null>;
  /** Stops deliveries to this target until it is resumed; its entries wait and are still counted. */
  readonly pause: (target: string) => void;
  readonly resume: (target: string) => void;
  /**
   * Sets the targets for new deliveries, each with its own limits. Deliveries in flight finish with their old target.
   */
  readonly retarget: (targets: ReadonlyMap<string, DeliveryTarget>) => void;
  readonly overview: () => readonly TargetOverview[];
  /** Starts no new delivery and waits for those in flight. The leases of unfinished deliveries are returned. */
  readonly stop: (withinMs: number) => Promise<void>;
  /**
   * Ends every delivery at once, also those that callers make: another process delivers these entries now. What a
   * delivery still had to send would arrive after later events of its order.
   */
  readonly abandon: () => void;
}

export interface Reservation {
  /** Whether the target may still be called: another process may have taken over since the lanes were reserved. */
  readonly mayCall: () => boolean;
  /** Sets what ends the caller's delivery if all deliveries are abandoned. */
  readonly onAbandoned: (end: () => void) => void;
  /**
   * Releases the lanes. Pass the entry if its delivery is to continue in the background, and what the attempt showed
   * about the target, for its breaker, and how long the target was called.
   */
  readonly release: (continued?: OpenEntry | null, callResult?: CallResult, calledMs?: number) => void;
}

export interface TargetOverview {
  readonly target: string;
  /** Whether deliveries are held back: somebody has paused it, or it is removed. */
  readonly isPaused: boolean;
  /** Whether the configuration no longer sends anything there. Its entries wait until it does again. */
  readonly isRemoved: boolean;
  readonly breaker: "closed" | "open" | "half-open";
  /** Waiting entries: those in memory, and those that arrived while memory was full. */
  readonly waiting: number;
  readonly inFlight: number;
  /** When the oldest waiting entry was received; null if none waits. Parked entries do not count. */
  readonly oldestAt?: number | null;
  /** How many may be in flight now; it grows again after an outage. */
  readonly concurrency: number;
}

/** What the outbox needs of a connector. */
export interface DeliveryTarget {
  /** Delivers one entry. Throws a Fault if there is no answer; a refusal is an answer. */
  readonly operate: (
    entry: Entry,
    signal: AbortSignal,
    record?: RecordSent,
    progress?: DeliveryProgress,
  ) => Promise<AnyOutcome>;
  readonly timeoutMs: number;
  readonly ratePerSecond?: number;
  /** Concurrent deliveries; absent: the default of the outbox. */
  readonly concurrency?: number;
  /**
   * The systems that the target calls. If a new target calls the same systems with the same limits, the known state of
   * the old one is kept.
   */
  readonly systems?: readonly object[];
  /** Users of the snapshot that the target belongs to: each call counts until it has really ended. */
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

export interface OutboxNeeds {
  readonly journal: Journal;
  readonly targets: ReadonlyMap<string, DeliveryTarget>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Uniform in 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** A new, unique lease token. */
  readonly newToken: () => string;
  /** Called after a commit that changed data that readers may have cached. */
  readonly onTouched: () => void;
  /** Called with the result of every attempt. */
  readonly onAttempt?: OnAttempt;
  /** Whether this process may still send: another one may have taken over without its knowing. Absent: always. */
  readonly mayDeliver?: (() => boolean) | undefined;
  /** Removes every secret of the configuration from a text. */
  readonly maskSecrets?: (text: string) => string;
  readonly tracing?: Tracing | undefined;
  readonly settings?: Partial<OutboxSettings>;
}

export interface OutboxSettings {
  /** Concurrent deliveries for a target that sets no limit of its own. */
  readonly concurrency: number;
  /** Open entries in memory per target; the others stay in the journal. */
  readonly window: number;
  /** Open entries in memory while the target is down or paused: few are needed before it is back. */
  readonly heldWindow: number;
  /** How long an entry is retried while its target is down. */
  readonly horizonMs: number;
}

export const defaultOutboxSettings: OutboxSettings = {
  concurrency: 8,
  window: 10_000,
  heldWindow: 1_000,
  horizonMs: 7 * 24 * 3_600_000,
};

/** `answered` and `unanswered`: the platform waited for the delivery. The others are results of queued entries. */
export type AttemptOutcome = Verdict["state"] | "answered" | "unanswered";
/** Called after an attempt, with the time that the call took; absent if the target was not called. */
export type OnAttempt = (target: string, outcome: AttemptOutcome, ms?: number) => void;
