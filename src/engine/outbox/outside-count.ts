export interface OutsideCount {
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
export function outsideCount(): OutsideCount {
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
