import type { OpenEntry } from "../../journal/entry.ts";
import type { Lane } from "./lane.ts";

/** An open entry in memory. */
export interface Item {
  open: OpenEntry;
  readonly lanes: readonly Lane[];
  /**
   * `blocked`: another one of its lanes comes first. `delayed`: next in its lanes, but not due yet.
   * `ready`: may start. `busy`: being delivered. `gone`: no longer ours.
   */
  place: "blocked" | "delayed" | "ready" | "busy" | "gone";
  /** Among those that may start, the lowest goes first: its own seq, or that of the state it took the place of. */
  readonly turn: number;
  dueAt: number;
  /** What the due time was reckoned from: when the clock is set back, the wait is reckoned again. */
  delayMs: number;
  /** Its last attempt failed because the target was in trouble. */
  isTroubled: boolean;
  /** When, by time that really passed, the target was first in trouble for it; null while it was not. */
  troubledSince: number | null;
  /** Tries after an answer that may pass by itself. */
  quickTries: number;
}
