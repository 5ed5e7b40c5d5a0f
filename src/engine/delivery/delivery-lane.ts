import type { OpenEntry } from "../../journal/entry.ts";

/** What keeps a lane: an entry in flight, or a caller who delivers by himself. */
export type Holder = object;

/** The entries of one order or container that wait in memory, by seq. The one in flight stays in its place. */
export class Lane {
  readonly name: string;
  holder: Holder | null = null;
  /** Entries on their way into the journal whose place is not known yet. */
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
    // Nearly always the newest.
    if (high === this.#first || seqAt(high - 1) <= seq) {
      this.#queue.push(item);
      return;
    }
    // What a person sends again belongs further to the front.
    let low = this.#first;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (seqAt(middle) < seq) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, item);
  }

  /** All that wait after the given seq. */
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
