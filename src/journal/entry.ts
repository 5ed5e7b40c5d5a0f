/**
 * The life of an entry. `accepted` waits for its first delivery, `retry` for another one, `inflight` is being
 * delivered under a lease. The rest is final, but for `dead`, which waits for a person.
 */
export type EntryState = "accepted" | "inflight" | "retry" | "delivered" | "rejected" | "dead" | "discarded";

/** States in which an entry still has to reach its target; a dead one holds its lanes until a person decides. */
export const openStates = ["accepted", "inflight", "retry"] as const satisfies readonly EntryState[];

/** How an entry is to be treated when it is appended. */
export type Handling =
  /** Nobody outside gets it: stored, applied, done. */
  | "keep"
  /** Stored, applied and queued for its target. */
  | "queue"
  /** Stored and queued for its target; the resident does not get it. */
  | "pass"
  /** Stored under a lease of the caller, who tries to deliver it at once; it is applied when it is settled. */
  | "hold";

/** What makes a later entry a repeat of this one. */
export interface RepeatRule {
  /** The entry repeats the latest one only if that is the latest under this key in each of its lanes. */
  readonly key: string;
  /** `unanswered`: only while the answer is not known to have arrived. `always`: equal content is enough. */
  readonly when: "unanswered" | "always";
  readonly windowMs: number;
  /** Anything that has happened since in one of these lanes, under whatever key, makes it a new one. */
  readonly undisturbedIn?: readonly string[];
  /**
   * Of an entry that its sender has named: by what one that was sent without a name is compared with it, in either
   * order. Two names are two entries, whatever they say.
   */
  readonly unnamed?: Pick<RepeatRule, "key" | "when" | "windowMs">;
}

/** Something to be written down. Texts and numbers only: it crosses a thread boundary once per event. */
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
  /** The JSON text to apply where it differs from the body: documented spelling, dates with offset. */
  readonly payload: string | null;
  readonly acceptLanguage: string | null;
  readonly receivedAt: number;
  /** Absent means `keep`. */
  readonly handling?: Handling;
  /** The connector it is delivered to; needed unless it is kept. */
  readonly target?: string;
  readonly repeat?: RepeatRule;
  /**
   * A state of which only the newest is worth sending: entries of the same target under this key that still wait, or
   * were refused, end as superseded. They must have the same lanes, or something behind them could be overtaken. A state
   * that waits for a person holds nobody up: the next one says all that it said.
   */
  readonly supersedes?: string;
  /**
   * The moment that state is of; absent: its arrival. States may come out of order: one of an earlier moment than one
   * that waits, was refused, is in flight or was delivered ends at once.
   */
  readonly stateAt?: number;
  /** Who pushed it: the name of a sender, or of the connector that found it. Absent for what the platform sent. */
  readonly sender?: string;
}

/** Why an entry is discarded that a newer one made superfluous. */
export const superseded = "superseded";

/** What an attempt to deliver came to. */
export interface Attempt {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The target's HTTP status, where there was one. */
  readonly status?: number;
  /** What went wrong, redacted, at most 2 KB. */
  readonly error?: string;
  /** What the target answered, at most 4 KB. Erased with the body of the entry. */
  readonly response?: string;
  /** What was really sent and answered. Erased with the body of the entry. */
  readonly exchanges?: readonly Exchange[];
}

export type Verdict =
  | {
      readonly state: "delivered";
      /** It is done, and yet nothing was sent: the target describes nothing for it. */
      readonly isUnsent?: true;
    }
  /** The target said no and the platform was told so: never sent again. */
  | {
      readonly state: "rejected";
      /** The target was silent: the same event, sent again, goes on under its id. */
      readonly reason?: "ambiguous";
    }
  /** Try again; `burn` is false where the target as a whole is in trouble and the entry is not to blame. */
  | { readonly state: "retry"; readonly nextAt: number; readonly countsAsAttempt: boolean }
  /** Given up until a person decides; its lanes wait. */
  | { readonly state: "dead"; readonly reason: "refused" | "exhausted" | "target-unavailable" }
  /** A held entry whose delivery goes on in the background. */
  | { readonly state: "accepted" };

/** An entry waiting for its delivery, as the outbox keeps it in memory: no body. */
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
  /** Who pushed it; null for what the platform sent, and for what was stored before senders were noted. */
  readonly sender: string | null;
  /** With the entry's position in each of its lanes, counted from 1. */
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  readonly body: string;
  readonly payload: string | null;
  readonly acceptLanguage: string | null;
  readonly receivedAt: number;
  readonly state: EntryState;
  /** Why it is dead or discarded. */
  readonly reason: string | null;
  readonly attempts: number;
  /** Attempts that failed because the target as a whole was in trouble. */
  readonly targetFailures: number;
  readonly nextAt: number | null;
  /** The outcome that was answered, as JSON text. */
  readonly answer: string | null;
  /** When the answer had been written completely; null while that is not known. */
  readonly answeredAt: number | null;
  /** When its target took it; null also where the target describes nothing for it, so that it was never sent. */
  readonly deliveredAt: number | null;
  /** Seq of an earlier entry that this one may repeat. */
  readonly suspectOf: number | null;
  /** How often a person has sent it again after it was delivered. */
  readonly replays: number;
  /** It says how something is, and the next of its kind says all of it anew. */
  readonly isState: boolean;
}

/** The beginning of a text, and how long all of it is. */
export interface KeptText {
  readonly text: string;
  readonly bytes: number;
}

/** What an attempt really sent, and what came back. No secret stands in it, and each text is bounded. */
export interface Exchange {
  readonly sentAt: number;
  /** Method and address, the statement, or the name of the file. */
  readonly to: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: KeptText;
  /** Absent: none came while the attempt lasted. */
  readonly answer?: {
    readonly ms: number;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: KeptText;
  };
}

/**
 * Of an entry that is tried for days, the exchanges of its first attempts and of its latest are kept: the others say the
 * same, and would fill the disk.
 */
export const keptAttempts = { first: 3, latest: 5 } as const;

/** The attempt whose exchanges make way for those of attempt `n`; null where none has to. */
export function displacedBy(n: number): number | null {
  const displaced = n - keptAttempts.latest;
  return displaced > keptAttempts.first ? displaced : null;
}
