import type { OpenEntry } from "../../journal/entry.ts";
import type { CallResult } from "../../kit/circuit-breaker.ts";
import type { Reservation } from "./outbox.ts";
import type { Window } from "./window.ts";

export interface ReservationsNeeds {
  readonly window: Pick<Window, "keep">;
  /** Whether this process may still send. */
  readonly mayDeliver: () => boolean;
  /** Called before the lanes are free: an entry whose delivery continues keeps its place. */
  readonly onContinued: (open: OpenEntry) => void;
  /** Called when the lanes are free. */
  readonly onReleased: (target: string, result: CallResult, calledMs: number | undefined) => void;
}

/** The lanes that callers have reserved for deliveries of their own. */
export function createReservations({ window, mayDeliver, onContinued, onReleased }: ReservationsNeeds) {
  const callers = new Set<{ end: () => void }>();
  return {
    add: (lanes: readonly string[], target: string): Reservation => {
      const caller = { end: () => {} };
      const free = window.keep(lanes, target, caller);
      callers.add(caller);
      return {
        mayCall: mayDeliver,
        onAbandoned: (end) => {
          caller.end = end;
        },
        release: (continued, callResult = "nothing", calledMs) => {
          callers.delete(caller);
          if (continued) onContinued(continued);
          free();
          onReleased(target, callResult, calledMs);
        },
      };
    },
    /** Ends the deliveries of all callers. */
    abandon: () => {
      for (const caller of callers) caller.end();
    },
  };
}
