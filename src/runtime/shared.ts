/** An opened resource that several snapshots can use, in turn or at the same time. */
export interface Shared {
  /** One more snapshot uses it. */
  readonly keep: () => void;
  /** One snapshot fewer uses it; the last one closes it. */
  readonly release: () => Promise<void>;
}

/** Counts the snapshots that use a resource and closes it once, after the last of them. */
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

/** Closes what was opened for a configuration that never took effect. */
export function closeUnused(one: Shared): Promise<void> {
  one.keep();
  return one.release();
}
