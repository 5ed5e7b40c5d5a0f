import type { OpenEntry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Item } from "./delivery-lane.ts";
import { longestDelayMs } from "./retry-plan.ts";
import { comeBackWithinMs, type TargetLine } from "./target-line.ts";
import type { Window } from "./window.ts";

export interface Feed {
  /** One that took the place of a state that was waiting keeps its turn. */
  readonly add: (open: OpenEntry, turn?: number) => void;
  /** Waits no longer than its due time says, nor than the given time. */
  readonly put: (open: OpenEntry, wait?: { readonly longestMs?: number; readonly turn?: number }) => void;
  /** Reads a little more from the journal where there is room; true where there may be more to read. */
  readonly refill: () => boolean;
  /** Starts over from what the journal says, before the window forgets what is not in flight. */
  readonly startOver: () => void;
  /** Whether memory holds every open entry of the target. */
  readonly isComplete: () => boolean;
  /** How many came that are not in memory. Those of an earlier life are not counted. */
  readonly outside: () => number;
  /** One that is not in memory is no longer open; returns the turn it would have had. */
  readonly forgetOutside: (seq: number) => number;
}

export interface FeedNeeds {
  readonly target: string;
  readonly read: Pick<JournalReader, "open" | "list">;
  readonly window: Window;
  readonly clock: Clock;
  /** Also makes it known: entries may be for a target that the configuration does not name any more. */
  readonly lineOf: (target: string) => TargetLine;
  /** How many the window may have of them now. */
  readonly limit: () => number;
}

/** States outside of memory whose turn is remembered: enough for a feed of many items, and not for ever more. */
const mostEarly = 20_000;
/** Reading more in one go would hold up the requests that are served meanwhile. */
const chunk = 250;

/**
 * Fills the window with one target's entries in order of seq and never leaves a gap: an entry that is not in memory
 * is not seen by those behind it, so nothing after the first one that did not fit may be in memory either. Each target
 * has its own share of the window: a thousand entries for a system that is down must not keep out those for another.
 */
export function createFeed({ target, read, window, clock, lineOf, limit }: FeedNeeds): Feed {
  /** Every open entry of this target up to this seq is in memory, unless it waits for a person. */
  let loadedTo = 0;
  let isComplete = false;
  let newest = 0;
  const outside = outsideCount();
  /** States outside of memory, by seq, that have an earlier turn than their seq says. */
  const early = new Map<number, { readonly open: OpenEntry; readonly turn: number }>();

  const put: Feed["put"] = (open, { longestMs = longestDelayMs, turn = open.seq } = {}) => {
    const now = clock.now();
    // A due time further away than any plan was reckoned with another clock.
    const delayMs = Math.min(Math.max(0, open.nextAt - now), longestMs);
    lineOf(open.target).counted(1);
    newest = Math.max(newest, open.seq);
    window.put(open, { dueAt: now + delayMs, delayMs, turn });
  };

  /** It is known, but a person wants it now. */
  const hurry = (item: Item, open: OpenEntry) => {
    if (item.place === "busy" || open.nextAt >= item.dueAt) return;
    item.open = open;
    item.dueAt = clock.now();
    item.delayMs = 0;
    if (item.place === "delayed") lineOf(open.target).offer(item);
  };

  /** Whether no open entry of its lanes is left in the journal: then nothing is overtaken by it. */
  const isAlone = ({ seq, lanes }: OpenEntry): boolean =>
    read
      .list({ lanes, states: ["accepted", "retry"], limit: 2 })
      .every((other) => other.seq === seq || other.seq <= loadedTo);

  /** A state that changes often would never get to its turn if it had to wait until all before it is read. */
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
      if (known !== undefined) hurry(known, open);
      else if (isComplete || open.seq <= loadedTo) put(open, { turn });
      else if (turn <= loadedTo && isAlone(open)) put(open, { turn });
      else {
        outside.add(open.seq);
        if (turn < open.seq && early.size < mostEarly) early.set(open.seq, { open, turn });
      }
      if (isComplete && window.size(target) >= limit()) {
        // Full: what comes from now on stays in the journal until there is room.
        isComplete = false;
        loadedTo = newest;
      }
    },
    refill: () => {
      if (isComplete) return false;
      const most = limit();
      const room = Math.min(chunk, most - window.size(target));
      // In chunks also near the limit: a read per delivered entry would be a read too many.
      if (room < Math.min(chunk, most / 2)) return false;
      const found = read.open(loadedTo, room);
      // What an earlier life was waiting for may be over, and its clock may have been another.
      for (const open of found) {
        if (open.target !== target) lineOf(open.target);
        else if (window.find(open.seq) === undefined) {
          put(open, { longestMs: comeBackWithinMs, turn: early.get(open.seq)?.turn ?? open.seq });
          outside.remove(open.seq);
          early.delete(open.seq);
        }
      }
      loadedTo = found.at(-1)?.seq ?? loadedTo;
      putEarly();
      isComplete = found.length < room;
      // What ended meanwhile without a word was never found.
      if (isComplete) outside.clear();
      return !isComplete;
    },
    startOver: () => {
      const known = window.size(target);
      // Those in flight stay where they are.
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
  /** One came. */
  readonly add: (seq: number) => void;
  /** All that are in memory, up to the given one, are about to be forgotten there. */
  readonly addKnown: (count: number, upTo: number) => void;
  /** One was read into memory, or is no longer open. */
  readonly remove: (seq: number) => void;
  readonly clear: () => void;
}

/**
 * Counts a target's open entries that are not in memory, without a list of them: there may be a million. Only those that
 * came in this life; what is older than the first of them was never counted, and is not taken off either.
 */
function outsideCount(): OutsideCount {
  let count = 0;
  let first = 0;
  let last = 0;
  return {
    size: () => count,
    add: (seq) => {
      // What a person sends again has been counted before.
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
