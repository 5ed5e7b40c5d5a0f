import type { Timers } from "../kit/time/timers.ts";
import type { UserCount } from "../kit/user-count.ts";

/** What is needed of a snapshot to let go of it at the right time. */
interface Releasable {
  readonly users: UserCount;
  readonly release: () => Promise<void>;
}

/** The one place that knows which snapshot holds. */
export interface CurrentSnapshot<Snapshot> {
  /** To be taken once, at the beginning of whatever is to be done. */
  readonly current: () => Snapshot;
  /** From now on this one is taken; those who have the one before keep it. */
  readonly replace: (next: Snapshot) => void;
  /** Releases one that was replaced as soon as its last user has finished, or has taken too long. */
  readonly retire: (before: Snapshot) => void;
  /** Releases all of them, used or not. */
  readonly close: () => Promise<void>;
}

/** A call, a delivery or the reader of a long list that has not finished by then is cut off. */
const longestUseMs = 600_000;

export function currentSnapshot<Snapshot extends Releasable>(
  first: Snapshot,
  timers: Timers,
): CurrentSnapshot<Snapshot> {
  let now = first;
  /** By snapshot that is still open although it was replaced: how to release it at once. */
  const retired = new Map<Snapshot, () => Promise<void>>();

  const retire = (before: Snapshot) => {
    let releasing: Promise<void> | null = null;
    const release = () => {
      callOff();
      releasing ??= before.release().finally(() => retired.delete(before));
      return releasing;
    };
    const callOff = timers.after(longestUseMs, release);
    retired.set(before, release);
    before.users.whenIdle(() => void release());
  };

  return {
    current: () => now,
    replace: (next) => {
      now = next;
    },
    retire,
    close: async () => {
      await Promise.all([...[...retired.values()].map((release) => release()), now.release()]);
    },
  };
}
