import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { FromFolder } from "../../../kit/sqlite/fold-worker.ts";
import type { LogState } from "../damage/store-guard.ts";
import type { CommitInProgress } from "../writer/commit-in-progress.ts";

export interface LogFolder {
  /** Folds the log into the database file while others write; calls back at the end, successful or not. */
  readonly fold: (then: () => void) => void;
  readonly isFolding: () => boolean;
  /** Do not call this during a fold. */
  readonly close: () => void;
}

export interface FolderNeeds {
  /** A commit that waits for the replica: until it is over, nothing may be done with the writer's handle. */
  readonly commit: Pick<CommitInProgress, "isInProgress" | "over">;
  /** Null while the database cannot be opened. */
  readonly log: () => LogState | null;
  /** Writes the log up to here, and the sums of its pages, to the disk. */
  readonly prepare: (state: LogState) => Promise<void>;
  /** Excludes later commits from the fold until the returned function is called. */
  readonly holdBack: () => () => void;
  /** Writes the folded pages to the disk without blocking this thread. */
  readonly sync: () => Promise<void>;
  /** Called after each pass, successful or not, with whether the preparation succeeded. */
  readonly folded: (isPrepared: boolean) => void;
}

/** The limit of passes. What is written during one pass is left for the next. */
const mostPasses = 5;
/** So few pages that the writer itself can fold the rest in a few milliseconds. */
export const mostLeft = 500;
/** An idle thread is stopped after this time to release its memory. */
const restMs = 10_000;

/**
 * Folds the log in a separate thread. A long push fills the log so fast that otherwise every event would wait for the
 * fold.
 */
export function logFolder(databaseFile: string, needs: FolderNeeds): LogFolder {
  const { commit } = needs;
  let worker: Worker | null = null;
  let isFolding = false;
  let over: (() => void) | null = null;
  let resting: NodeJS.Timeout | undefined;

  const end = () => {
    const resolveOver = over;
    over = null;
    resolveOver?.();
  };
  const start = () => {
    const started = new Worker(moduleUrl("../../../kit/sqlite/fold-worker", import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    started.on("message", (_message: FromFolder) => end());
    // If the thread ends for any reason, the writer itself folds a log that grows too long, and the next fold starts a
    // new thread.
    started.on("error", () => {});
    started.on("exit", () => {
      // A stopped thread may end while another one is working.
      if (worker !== started) return;
      worker = null;
      end();
    });
    started.unref();
    return started;
  };
  const foldInThread = () =>
    new Promise<void>((resolve) => {
      over = resolve;
      worker ??= start();
      worker.postMessage(databaseFile);
    });

  const stop = () => {
    clearTimeout(resting);
    const stopping = worker;
    worker = null;
    void stopping?.terminate();
  };

  /** Makes one pass; returns whether more can be folded now. */
  const pass = async (): Promise<boolean> => {
    while (commit.isInProgress()) await commit.over();
    const state = needs.log();
    if (state === null || state.log === state.checkpointed) return false;
    const release = needs.holdBack();
    let isPrepared = false;
    try {
      await needs.prepare(state);
      isPrepared = true;
      await foldInThread();
      await needs.sync();
    } finally {
      while (commit.isInProgress()) await commit.over();
      release();
      needs.folded(isPrepared);
    }
    const after = needs.log();
    if (after === null || after.checkpointed <= state.checkpointed) return false;
    return after.log - after.checkpointed > mostLeft;
  };

  const passes = async () => {
    for (let done = 0; done < mostPasses && (await pass()); done++);
    while (commit.isInProgress()) await commit.over();
  };

  return {
    fold: (then) => {
      if (isFolding) return;
      isFolding = true;
      clearTimeout(resting);
      const ended = () => {
        isFolding = false;
        resting = setTimeout(stop, restMs).unref();
        then();
      };
      // If a pass failed, everything is still in the log, and it is tried again.
      void passes().then(ended, ended);
    },
    isFolding: () => isFolding,
    close: stop,
  };
}
