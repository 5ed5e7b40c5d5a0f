import type { Item } from "./item.ts";

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
