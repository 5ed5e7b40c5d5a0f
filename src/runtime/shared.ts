/** Something opened that several snapshots may use, one after the other and at the same time. */
export interface Shared {
  /** One more snapshot uses it. */
  readonly keep: () => void;
  /** One snapshot less; the last one closes it. */
  readonly release: () => Promise<void>;
}

/** Counts the snapshots that use a thing and closes it with the last of them, once. */
export function shared(close: () => Promise<void>): Shared {
  let snapshots = 0;
  return {
    keep: () => {
      snapshots++;
    },
    release: async () => {
      if (--snapshots === 0) await close();
    },
  };
}

/** Closes what was opened for a configuration that does not come to hold. */
export function closeUnused(one: Shared): Promise<void> {
  one.keep();
  return one.release();
}
