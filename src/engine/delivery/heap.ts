/** A heap with the smallest `rank` on top. */
export interface Heap<Item> {
  readonly push: (item: Item) => void;
  readonly peek: () => Item | undefined;
  readonly pop: () => Item | undefined;
  readonly size: () => number;
  readonly drain: () => Item[];
}

export function heap<Item>(rank: (item: Item) => number): Heap<Item> {
  let items: Item[] = [];
  const rankAt = (index: number): number => {
    const item = items[index];
    return item === undefined ? Number.POSITIVE_INFINITY : rank(item);
  };
  const swap = (a: number, b: number) => {
    const [one, other] = [items[a], items[b]];
    if (one === undefined || other === undefined) return;
    items[a] = other;
    items[b] = one;
  };

  const rise = (start: number) => {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (rankAt(parent) <= rankAt(at)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const sink = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const smaller = rankAt(left + 1) < rankAt(left) ? left + 1 : left;
      if (rankAt(at) <= rankAt(smaller)) return;
      swap(at, smaller);
      at = smaller;
    }
  };

  return {
    push: (item) => {
      items.push(item);
      rise(items.length - 1);
    },
    peek: () => items[0],
    pop: () => {
      const first = items[0];
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        sink();
      }
      return first;
    },
    size: () => items.length,
    drain: () => {
      const all = items;
      items = [];
      return all;
    },
  };
}
