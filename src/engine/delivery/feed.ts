import type { OpenEntry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { longestDelayMs } from "./retry-plan.ts";
import { retryWithinMs, type TargetLine } from "./target-line.ts";
import type { Item, Window } from "./window.ts";

export interface Feed {
  /** Adds a new entry. A state that replaced a waiting one keeps that one's turn. */
  readonly add: (open: OpenEntry, turn?: number) => void;
  /** Puts an entry into memory. It waits until its due time, but no longer than `longestMs`. */
  readonly put: (open: OpenEntry, wait?: { readonly longestMs?: number; readonly turn?: number }) => void;
  /** Reads more from the journal if there is room; true if there may be more to read. */
  readonly refill: () => boolean;
  /** Restarts reading from the journal. Call it before the window drops what is not in flight. */
  readonly startOver: () => void;
  /** Whether memory holds every open entry of the target. */
  readonly isComplete: () => boolean;
  /** How many new entries are not in memory. Entries of an earlier process are not counted. */
  readonly outside: () => number;
  /** Called when an entry outside memory is no longer open; returns the turn it would have had. */
  readonly forgetOutside: (seq: number) => number;
}

export interface FeedNeeds {
  readonly target: string;
  readonly read: Pick<JournalReader, "open" | "list">;
  readonly window: Window;
  readonly clock: Clock;
  /**
   * Returns the target's line and creates it if necessary, because entries may be for a target that is no longer
   * configured.
   */
  readonly lineOf: (target: string) => TargetLine;
  /** How many of its entries the window may hold now. */
  readonly limit: () => number;
}

/** Limit of states outside memory whose turn is remembered: enough for the stock levels of many items. */
const mostEarly = 20_000;
/** Reading more at a time would delay the requests being served. */
const chunk = 250;

/**
 * Fills the window with one target's entries in order of seq, without a gap. The order within a lane is checked in
 * memory only, so nothing after the first entry that did not fit may be in memory either. Each target has its own share
 * of the window: a thousand entries for a system that is down must not keep out those of another.
 */
export function createFeed({ target, read, window, clock, lineOf, limit }: FeedNeeds): Feed {
  /** Every open entry of this target up to this seq is in memory, except dead and parked ones. */
  let loadedTo = 0;
  let isComplete = false;
  let newest = 0;
  const outside = outsideCount();
  /** States outside memory, by seq, whose turn is earlier than their seq. */
  const early = new Map<number, { readonly open: OpenEntry; readonly turn: number }>();

  const put: Feed["put"] = (open, { longestMs = longestDelayMs, turn = open.seq } = {}) => {
    const now = clock.now();
    // A due time beyond the longest wait was computed with a wrong clock.
    const delayMs = Math.min(Math.max(0, open.nextAt - now), longestMs);
    lineOf(open.target).counted(1);
    newest = Math.max(newest, open.seq);
    window.put(open, { dueAt: now + delayMs, delayMs, turn });
  };

  /** Called when an operator wants an entry delivered now that is already in memory. */
  const bringForward = (item: Item, open: OpenEntry) => {
    if (item.place === "busy" || open.nextAt >= item.dueAt) return;
    item.open = open;
    item.dueAt = clock.now();
    item.delayMs = 0;
    if (item.place === "delayed") lineOf(open.target).offer(item);
  };

  /** Whether the journal holds no open entry of its lanes: then it overtakes nothing. */
  const isAlone = ({ seq, lanes }: OpenEntry): boolean =>
    read
      .list({ lanes, states: ["accepted", "retry"], limit: 2, isBrief: true })
      .every((other) => other.seq === seq || other.seq <= loadedTo);

  /**
   * Puts states in memory that keep an early turn. Otherwise a state that changes often would never be sent, because it
   * would wait until everything before it is read.
   */
  const putEarly = () => {
    for (const [seq, { open, turn }] of early) {
      const isKnown = window.find(seq) !== undefined;
      if (!isKnown && (turn > loadedTo || !isAlone(open))) continue;
      if (!isKnown) put(open, { turn });
      outside.remove(seq);
      early.delete(seq);
    }
  };

  return {
    put,
    add: (open, turn = open.seq) => {
      const known = window.find(open.seq);
      if (known !== undefined) bringForward(known, open);
      else if (isComplete || open.seq <= loadedTo) put(open, { turn });
      else if (turn <= loadedTo && isAlone(open)) put(open, { turn });
      else {
        outside.add(open.seq);
        if (turn < open.seq && early.size < mostEarly) early.set(open.seq, { open, turn });
      }
      if (isComplete && window.size(target) >= limit()) {
        // Full: new entries stay in the journal until there is room.
        isComplete = false;
        loadedTo = newest;
      }
    },
    refill: () => {
      if (isComplete) return false;
      const most = limit();
      const room = Math.min(chunk, most - window.size(target));
      // Reads in chunks even near the limit: otherwise each delivered entry would cause a read.
      if (room < Math.min(chunk, most / 2)) return false;
      const found = read.open(loadedTo, room);
      // Waits of an earlier process no longer apply, and its clock may have been different.
      for (const open of found) {
        if (open.target !== target) lineOf(open.target);
        else if (window.find(open.seq) === undefined) {
          put(open, { longestMs: retryWithinMs, turn: early.get(open.seq)?.turn ?? open.seq });
          outside.remove(open.seq);
          early.delete(open.seq);
        }
      }
      loadedTo = found.at(-1)?.seq ?? loadedTo;
      putEarly();
      isComplete = found.length < room;
      // Entries that ended in the meantime were not found again.
      if (isComplete) outside.clear();
      return !isComplete;
    },
    startOver: () => {
      const known = window.size(target);
      // Entries in flight stay in memory.
      if (known > 0) outside.addKnown(known - lineOf(target).overview().inFlight, newest);
      loadedTo = 0;
      isComplete = false;
      early.clear();
    },
    isComplete: () => isComplete,
    outside: outside.size,
    forgetOutside: (seq) => {
      const turn = early.get(seq)?.turn ?? seq;
      early.delete(seq);
      outside.remove(seq);
      return turn;
    },
  };
}

interface OutsideCount {
  readonly size: () => number;
  /** Called when a new entry was stored. */
  readonly add: (seq: number) => void;
  /** Called before all entries in memory up to the given one are dropped. */
  readonly addKnown: (count: number, upTo: number) => void;
  /** Called when an entry was read into memory or is no longer open. */
  readonly remove: (seq: number) => void;
  readonly clear: () => void;
}

/**
 * Counts a target's open entries that are not in memory. It keeps no list of them, because there may be a million. Only
 * entries that came in this process are counted, so older ones are not subtracted either.
 */
function outsideCount(): OutsideCount {
  let count = 0;
  let first = 0;
  let last = 0;
  return {
    size: () => count,
    add: (seq) => {
      // An entry that an operator sends again was counted before.
      if (seq <= last) return;
      if (count === 0) first = seq;
      last = seq;
      count++;
    },
    addKnown: (known, upTo) => {
      if (known === 0) return;
      count += known;
      first = 0;
      last = Math.max(last, upTo);
    },
    remove: (seq) => {
      if (count > 0 && seq >= first && seq <= last) count--;
    },
    clear: () => {
      count = 0;
    },
  };
}
