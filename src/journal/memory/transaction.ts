import { JournalFailed } from "../journal.ts";
import type { Write } from "./tables.ts";

export interface Transactions {
  readonly write: Write;
  /** Runs to the end, or as if it had never begun. */
  readonly run: <T>(work: () => T) => Promise<T>;
}

/** Remembers how each write is undone for as long as the transaction lasts. */
export function transactions(): Transactions {
  let undo: (() => void)[] = [];
  return {
    write: (map, key, value) => {
      const before = map.get(key);
      undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
      if (value === undefined) map.delete(key);
      else map.set(key, value);
    },
    run: async (work) => {
      undo = [];
      try {
        return work();
      } catch (error) {
        for (const back of undo.reverse()) back();
        throw new JournalFailed(error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
  };
}
