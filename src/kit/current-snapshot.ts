import type { Timers } from "./time/timers.ts";

/** Counts the users of a resource, so that it can be closed after the last of them. */
export class UserCount {
  #count = 0;
  #whenIdle: (() => void) | null = null;

  enter(): void {
    this.#count++;
  }

  leave(): void {
    this.#count--;
    this.#notifyIfIdle();
  }

  /** Counts one more user until the promise settles. */
  during(answer: Promise<unknown>): void {
    this.enter();
    const leave = () => this.leave();
    answer.then(leave, leave);
  }

  /** Calls `then` once, as soon as there is no user; at once if there is none. */
  whenIdle(then: () => void): void {
    this.#whenIdle = then;
    this.#notifyIfIdle();
  }

  #notifyIfIdle(): void {
    if (this.#count > 0 || this.#whenIdle === null) return;
    const then = this.#whenIdle;
    this.#whenIdle = null;
    then();
  }
}

/** The part of a snapshot that is needed to release it at the right time. */
interface Releasable {
  readonly users: UserCount;
  readonly release: () => Promise<void>;
}

/** The only place that knows which snapshot is current. */
export interface CurrentSnapshot<Snapshot> {
  /** Call it once at the beginning of a request or delivery, and keep the result to the end. */
  readonly current: () => Snapshot;
  /** Makes this snapshot current. Users of the previous one keep it. */
  readonly replace: (next: Snapshot) => void;
  /** Releases a replaced snapshot when its last user has finished, or when that user takes too long. */
  readonly retire: (before: Snapshot) => void;
  /** Releases all snapshots, even those in use. */
  readonly close: () => Promise<void>;
}

/**
 * The longest use of a replaced snapshot. A call, a delivery or the reader of a long list that takes longer loses its
 * connectors.
 */
const longestUseMs = 600_000;

export function currentSnapshot<Snapshot extends Releasable>(
  first: Snapshot,
  timers: Timers,
): CurrentSnapshot<Snapshot> {
  let now = first;
  /** Replaced snapshots that are still open, each with the function that releases it at once. */
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

/** An opened resource that several snapshots can use, in turn or at the same time. */
export interface Shared {
  /** Counts one more snapshot that uses the resource. */
  readonly keep: () => void;
  /** Counts one snapshot less. The last one closes the resource. */
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

/** Closes a resource that was opened for a configuration that never took effect. */
export function closeUnused(one: Shared): Promise<void> {
  one.keep();
  return one.release();
}
