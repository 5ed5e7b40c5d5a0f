/**
 * The states of an entry. `accepted` waits for its first delivery, `retry` for another one, `inflight` is being
 * delivered under a lease. The other states are final, except `dead`: delivery failed permanently and operator action
 * is required.
 */
export type EntryState = "accepted" | "inflight" | "retry" | "delivered" | "rejected" | "dead" | "discarded";

/** States in which an entry still has to reach its target. A dead entry blocks its lanes until an operator decides. */
export const openStates = ["accepted", "inflight", "retry"] as const satisfies readonly EntryState[];

/** What an append does with an entry. */
export type Handling =
  /** Stored, applied and finished: the entry has no target. */
  | "keep"
  /** Stored, applied and queued for its target. */
  | "queue"
  /** Stored and queued for its target; inline projections do not get it. */
  | "pass"
  /** Stored under a lease of the caller, who delivers the entry at once; it is applied when it is settled. */
  | "hold";

/** When a later entry is a repeat of this one. */
export interface RepeatRule {
  /** The entry repeats the latest one only if that is the latest under this key in each of its lanes. */
  readonly key: string;
  /** `unanswered`: only until the answer is known to have arrived. `always`: equal content is enough. */
  readonly when: "unanswered" | "always";
  readonly windowMs: number;
  /** Any later entry in one of these lanes, whatever its key, makes an equal entry a new one instead of a repeat. */
  readonly undisturbedIn?: readonly string[];
  /**
   * The rule by which an entry with an idempotency key is compared with entries sent without a key, in either order.
   * Two different keys are two entries, whatever their content.
   */
  readonly unnamed?: Pick<RepeatRule, "key" | "when" | "windowMs" | "undisturbedIn">;
}

/** An entry to store. Texts and numbers only, because it crosses a thread boundary once per event. */
export interface NewEntry {
  readonly id: string;
  /** `out` is platform → external system, `in` the other way. */
  readonly direction: "out" | "in";
  /** The operation or push topic. */
  readonly topic: string;
  /** Ordering keys: entries that share one keep their order. */
  readonly lanes: readonly string[];
  /** The JSON text as it was received. */
  readonly body: string;
  /** The JSON text to apply if it differs from the body: documented spelling, dates with offset. */
  readonly payload: string | null;
  readonly acceptLanguage: string | null;
  readonly receivedAt: number;
  /** Absent means `keep`. */
  readonly handling?: Handling;
  /** The connector that the entry is delivered to; required unless the entry is only kept. */
  readonly target?: string;
  readonly repeat?: RepeatRule;
  /**
   * Marks a state of which only the newest is sent: waiting or refused entries of the same target and key end as
   * superseded. They must have the same lanes, or the new entry could overtake an entry behind them. A refused state
   * does not block its lanes, because the next state replaces it completely.
   */
  readonly supersedes?: string;
  /**
   * The time of that state; absent: its arrival. States may arrive out of order: a state ends at once if one of a
   * later time is waiting, refused, in flight or delivered.
   */
  readonly stateAt?: number;
  /**
   * Who pushed the entry: the name of a sender, or of the connector that found it. Absent for events of the platform.
   */
  readonly sender?: string;
  /** The trace that the entry belongs to: a W3C `traceparent`, then a space and the `tracestate` if there is one. */
  readonly trace?: string;
}

/** The reason of an entry that was discarded because a newer one replaced it. */
export const superseded = "superseded";

/** The result of a delivery attempt. */
export interface Attempt {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The target's HTTP status, if there was one. */
  readonly status?: number;
  /** The error, redacted, at most 2 KB. */
  readonly error?: string;
  /** The target's answer, at most 4 KB. Erased with the body of the entry. */
  readonly response?: string;
  /** The requests sent and their answers. Erased with the body of the entry. */
  readonly exchanges?: readonly Exchange[];
}

export type Verdict =
  | {
      readonly state: "delivered";
      /** Done without sending anything: the target has no request for it. */
      readonly isUnsent?: true;
      /** Why nothing was sent, if there is another reason. */
      readonly reason?: string;
    }
  /** The target refused the entry and the platform got that answer, so it is never sent again. */
  | {
      readonly state: "rejected";
      /** The target did not answer: if the same event is sent again, it continues with this id. */
      readonly reason?: "ambiguous";
    }
  /** Try again. `countsAsAttempt` is false if the target as a whole is down, which is not the entry's fault. */
  | { readonly state: "retry"; readonly nextAt: number; readonly countsAsAttempt: boolean }
  /** Delivery failed permanently; operator action required. Its lanes wait. */
  | { readonly state: "dead"; readonly reason: "refused" | "exhausted" | "target-unavailable" }
  /** A held entry whose delivery continues in the background. */
  | { readonly state: "accepted" };

/** An entry waiting for its delivery, as the outbox holds it in memory, without the body. */
export interface OpenEntry {
  readonly seq: number;
  readonly id: string;
  readonly topic: string;
  readonly target: string;
  readonly lanes: readonly string[];
  readonly attempts: number;
  readonly receivedAt: number;
  readonly nextAt: number;
}

/** Everything about one entry. */
export interface Entry {
  readonly seq: number;
  readonly id: string;
  readonly direction: "out" | "in";
  readonly topic: string;
  readonly target: string | null;
  /** Who pushed the entry; null for events of the platform, and for entries older than this column. */
  readonly sender: string | null;
  /**
   * The trace that the entry belongs to; null if nothing was traced. An entry emitted for another one has the same
   * trace.
   */
  readonly trace: string | null;
  /** The lanes with the entry's position in each, counted from 1. */
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  readonly body: string;
  readonly payload: string | null;
  readonly acceptLanguage: string | null;
  readonly receivedAt: number;
  readonly state: EntryState;
  /** Why the entry is dead or discarded. */
  readonly reason: string | null;
  readonly attempts: number;
  /** Attempts that failed because the target as a whole was down. */
  readonly targetFailures: number;
  readonly nextAt: number | null;
  /** The outcome sent as the answer, as JSON text. */
  readonly answer: string | null;
  /** When the answer was written completely; null if unknown. */
  readonly answeredAt: number | null;
  /** When the target accepted the entry; null also if it was never sent because the target has no request for it. */
  readonly deliveredAt: number | null;
  /** Seq of an earlier entry that this one may repeat. */
  readonly suspectOf: number | null;
  /** How often an operator has sent the entry again after it was delivered. */
  readonly replays: number;
  /** Whether the entry is a state, which the next one of its kind replaces completely. */
  readonly isState: boolean;
}

/** The beginning of a text, and its full length. */
export interface KeptText {
  readonly text: string;
  readonly bytes: number;
}

/** The outcome of an attempt during which the process ended. */
export const interrupted = {
  outcome: "interrupted",
  error: "the process ended during this attempt; whether it arrived is unknown",
} as const;

/** One request of an attempt, and its answer. It contains no secrets, and each text is bounded. */
export interface Exchange {
  readonly sentAt: number;
  /** The step that the request belongs to, if the event is sent in several steps. */
  readonly step?: string;
  /** Why nothing was sent for the step. */
  readonly skipped?: string;
  /** Method and address, the statement, or the name of the file. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: KeptText;
  /** Absent: no answer came during the attempt. */
  readonly answer?: {
    readonly ms: number;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: KeptText;
  };
}

/**
 * If an entry is tried for days, only the exchanges of its first and latest attempts are kept. The others repeat them
 * and would fill the disk.
 */
export const keptAttempts = { first: 3, latest: 5 } as const;

/** The attempt whose exchanges are deleted when those of attempt `n` are stored; null if none. */
export function displacedBy(n: number): number | null {
  const displaced = n - keptAttempts.latest;
  return displaced > keptAttempts.first ? displaced : null;
}
