import type { OpenEntry } from "../../journal/entry.ts";

/** Delivers open entries to their targets: one at a time per lane, in order, for as long as it takes. */
export interface Outbox {
  /** Takes over entries that were just stored; those already known are left alone. */
  readonly add: (entries: readonly OpenEntry[]) => void;
  /**
   * Keeps the lanes for a delivery by the caller. Null where one of them is busy: an earlier entry is open,
   * held, or waits for a person. Synchronous, so that of two events at the same instant only one gets it.
   */
  readonly reserve: (lanes: readonly string[]) => Reservation | null;
  /** No deliveries to this target until it is resumed; entries wait, visible and counted. */
  readonly pause: (target: string) => void;
  readonly resume: (target: string) => void;
  readonly overview: () => readonly TargetOverview[];
  /** Starts nothing new and waits for what is under way; what is not done by then is given back. */
  readonly stop: (withinMs: number) => Promise<void>;
}

export interface Reservation {
  /** Gives the lanes back; with an entry where its delivery is to go on in the background. */
  readonly release: (goesOn?: OpenEntry) => void;
}

export interface TargetOverview {
  readonly target: string;
  readonly isPaused: boolean;
  readonly breaker: "closed" | "open" | "half-open";
  /** Entries in memory waiting for their turn. */
  readonly waiting: number;
  readonly inFlight: number;
  /** How many may be in flight now; grows again after trouble. */
  readonly concurrency: number;
}
