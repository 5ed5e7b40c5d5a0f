import type { OpenEntry } from "../../journal/entry.ts";

/** What holds a lane: an entry in flight, or a caller that delivers by itself. */
type Holder = object;

/** The entries of one order or container waiting in memory, by seq. The entry in flight stays in its place. */
class Lane {
  readonly name: string;
  holder: Holder | null = null;
  /** Entries being written to the journal whose place is not known yet. */
  announced = 0;
  #queue: Item[] = [];
  // An index instead of shift(): a lane may be ten thousand entries long.
  #first = 0;

  constructor(name: string) {
    this.name = name;
  }

  head(): Item | undefined {
    while (this.#queue[this.#first]?.place === "gone") this.#first++;
    if (this.#first > 64 && this.#first * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
    return this.#queue[this.#first];
  }

  insert(item: Item): void {
    const seqAt = (index: number) => this.#queue[index]?.open.seq ?? Number.NEGATIVE_INFINITY;
    const { seq } = item.open;
    let high = this.#queue.length;
    // New entries nearly always go to the end.
    if (high === this.#first || seqAt(high - 1) <= seq) {
      this.#queue.push(item);
      return;
    }
    // An entry that an operator retries goes further to the front.
    let low = this.#first;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (seqAt(middle) < seq) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, item);
  }

  /** All entries waiting after the given seq. */
  after(seq: number): Item[] {
    return this.#queue.slice(this.#first).filter((item) => item.place !== "gone" && item.open.seq > seq);
  }

  isIdle(): boolean {
    return this.head() === undefined && this.holder === null && this.announced === 0;
  }
}

/** An open entry in memory. */
export interface Item {
  open: OpenEntry;
  readonly lanes: readonly Lane[];
  /**
   * `blocked`: another entry of its lanes comes first. `delayed`: next in its lanes, but not due yet. `ready`: may
   * start. `busy`: being delivered. `gone`: no longer in memory.
   */
  place: "blocked" | "delayed" | "ready" | "busy" | "gone";
  /**
   * The ready entry with the lowest turn starts first. The turn is its own seq, or the seq of the state that it
   * replaced.
   */
  readonly turn: number;
  dueAt: number;
  /** The wait from which `dueAt` was computed. When the clock is set back, `dueAt` is computed again from it. */
  delayMs: number;
  /** Whether its last attempt failed because of the target. */
  isTroubled: boolean;
  /** When its target first failed, on the monotonic clock; null if it did not. */
  troubledSince: number | null;
  /** Attempts after a temporary refusal. */
  quickTries: number;
}

export interface Window {
  /** Entries of the target in memory. */
  readonly size: (target: string) => number;
  readonly find: (seq: number) => Item | undefined;
  /** When the oldest entry of each target was received. */
  readonly oldest: () => ReadonlyMap<string, number>;
  readonly put: (open: OpenEntry, wait: { dueAt: number; delayMs: number; turn: number }) => Item;
  /** Whether the entry is first in each of its lanes and none of them is reserved. */
  readonly isFree: (item: Item) => boolean;
  readonly hold: (item: Item) => void;
  /** Ends the hold; the entry keeps its place in its lanes. */
  readonly giveBack: (item: Item) => void;
  readonly forget: (item: Item) => void;
  /** Drops all entries that must wait for this one, directly or indirectly. */
  readonly forgetBehind: (item: Item) => void;
  /** Drops everything that is not in flight. */
  readonly forgetWaiting: () => void;
  readonly isBusy: (lane: string, target: string) => boolean;
  readonly keep: (lanes: readonly string[], target: string, holder: Holder) => () => void;
  readonly announce: (lanes: readonly string[], target: string) => () => void;
}

export interface WindowNeeds {
  /** Called when an entry is first in each of its lanes. */
  readonly onFree: (item: Item) => void;
  readonly onGone: (item: Item) => void;
}

/**
 * The open entries in memory and their order. Reports when an entry is first in all of its lanes. Lanes are separate
 * per target: an entry for a system that is down must not block entries of the same order for another system.
 */
export function createWindow({ onFree, onGone }: WindowNeeds): Window {
  const items = new Map<number, Item>();
  const sizes = new Map<string, number>();
  const lanes = new Map<string, Lane>();

  const laneOf = (name: string): Lane => {
    let lane = lanes.get(name);
    if (lane === undefined) {
      lane = new Lane(name);
      lanes.set(name, lane);
    }
    return lane;
  };
  const lanesOf = (names: readonly string[], target: string) => {
    const distinct = names.length < 2 ? names : [...new Set(names)];
    return distinct.map((name) => laneOf(laneKey(name, target)));
  };
  const count = (target: string, change: 1 | -1) => sizes.set(target, (sizes.get(target) ?? 0) + change);

  const isFree = (item: Item) => item.lanes.every((lane) => lane.holder === null && lane.head() === item);

  const refresh = (changed: readonly Lane[]) => {
    for (const lane of changed) {
      const head = lane.head();
      if (head?.place === "blocked" && isFree(head)) onFree(head);
      // Without this the map would grow with every order ever seen.
      if (lane.isIdle() && lanes.get(lane.name) === lane) lanes.delete(lane.name);
    }
  };

  const drop = (item: Item) => {
    item.place = "gone";
    // Deleted only if it is the same item, because the entry may have come back as another item.
    if (items.get(item.open.seq) === item) items.delete(item.open.seq);
    count(item.open.target, -1);
    onGone(item);
  };

  const freeLanes = (item: Item) => {
    for (const lane of item.lanes) if (lane.holder === item) lane.holder = null;
  };

  return {
    size: (target) => sizes.get(target) ?? 0,
    find: (seq) => items.get(seq),
    oldest: () => {
      const oldest = new Map<string, number>();
      for (const { open } of items.values()) {
        oldest.set(open.target, Math.min(open.receivedAt, oldest.get(open.target) ?? open.receivedAt));
      }
      return oldest;
    },
    put: (open, { dueAt, delayMs, turn }) => {
      const own = lanesOf(open.lanes, open.target);
      const item: Item = {
        open,
        lanes: own,
        place: "blocked",
        turn,
        dueAt,
        delayMs,
        isTroubled: false,
        troubledSince: null,
        quickTries: 0,
      };
      items.set(open.seq, item);
      count(open.target, 1);
      for (const lane of own) lane.insert(item);
      if (isFree(item)) onFree(item);
      return item;
    },
    isFree,
    hold: (item) => {
      item.place = "busy";
      for (const lane of item.lanes) lane.holder = item;
    },
    giveBack: (item) => {
      item.place = "blocked";
      freeLanes(item);
      // An entry without lanes would otherwise never be offered again.
      if (item.lanes.length === 0) onFree(item);
      refresh(item.lanes);
    },
    forget: (item) => {
      drop(item);
      freeLanes(item);
      refresh(item.lanes);
    },
    forgetBehind: (first) => {
      const touched = new Set<Lane>();
      const waiting = [first];
      for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
        for (const lane of item.lanes) {
          for (const later of lane.after(item.open.seq)) {
            if (later.place === "busy" || later.place === "gone") continue;
            drop(later);
            for (const own of later.lanes) touched.add(own);
            waiting.push(later);
          }
        }
      }
      refresh([...touched]);
    },
    forgetWaiting: () => {
      for (const item of [...items.values()]) if (item.place !== "busy") drop(item);
      refresh([...lanes.values()]);
    },
    isBusy: (name, target) => {
      const lane = lanes.get(laneKey(name, target));
      return lane !== undefined && !lane.isIdle();
    },
    keep: (names, target, holder) => {
      const own = lanesOf(names, target);
      for (const lane of own) lane.holder = holder;
      return () => {
        for (const lane of own) if (lane.holder === holder) lane.holder = null;
        refresh(own);
      };
    },
    announce: (names, target) => {
      const own = lanesOf(names, target);
      for (const lane of own) lane.announced++;
      return () => {
        for (const lane of own) lane.announced--;
        refresh(own);
      };
    },
  };
}

/** A line break is a safe separator: no target's name contains one. */
const laneKey = (lane: string, target: string) => `${target}\n${lane}`;
