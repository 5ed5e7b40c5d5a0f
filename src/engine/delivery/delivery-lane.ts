import type { OpenEntry } from "../../journal/entry.ts";

/** What holds a lane: an entry in flight, or a caller that delivers by itself. */
export type Holder = object;

/** The entries of one order or container waiting in memory, by seq. The entry in flight stays in its place. */
export class Lane {
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
    // An entry that an operator sends again belongs further to the front.
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
  /** Of the ready entries the lowest starts first: its own seq, or the seq of the state it replaced. */
  readonly turn: number;
  dueAt: number;
  /** The time the due time was computed from: when the clock is set back, the wait is computed again. */
  delayMs: number;
  /** Its last attempt failed because of the target. */
  isTroubled: boolean;
  /** When its target first failed, on the monotonic clock; null if it did not. */
  troubledSince: number | null;
  /** Attempts after a temporary refusal. */
  quickTries: number;
}
