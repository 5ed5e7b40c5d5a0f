/** A commit that waits for the replica while its thread goes on. There is at most one. */
export interface CommitInProgress {
  readonly isInProgress: () => boolean;
  readonly begin: () => void;
  /** Ends it. True if somebody waits for that, who must continue before the next commit begins. */
  readonly end: () => boolean;
  /**
   * Settles when the commit is over. Whoever waited asks again whether one is in progress, and what it does then without
   * waiting comes before the next one.
   */
  readonly over: () => Promise<void>;
}

export function commitInProgress(): CommitInProgress {
  let isInProgress = false;
  let waiting: (() => void)[] = [];
  return {
    isInProgress: () => isInProgress,
    begin: () => {
      isInProgress = true;
    },
    end: () => {
      const released = waiting;
      isInProgress = false;
      waiting = [];
      for (const goOn of released) goOn();
      return released.length > 0;
    },
    over: () => (isInProgress ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
  };
}
