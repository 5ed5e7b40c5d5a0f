import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { LogState } from "../damage/store-guard.ts";
import type { FromFolder } from "./fold-worker.ts";

export interface LogFolder {
  /** Folds the log into the database file while others write; calls back when that is over, done or not. */
  readonly fold: (then: () => void) => void;
  readonly isFolding: () => boolean;
  /** Not while it is folding. */
  readonly close: () => void;
}

export interface FolderNeeds {
  /** Null while the database cannot be opened. */
  readonly log: () => LogState | null;
  /** Brings the log up to here, and the sums of its pages, to the disk. */
  readonly prepare: (state: LogState) => Promise<void>;
  /** Keeps what is committed from now on out of the fold, until what it returns is called. */
  readonly holdBack: () => () => void;
  /** Brings what was folded to the disk, without keeping this thread waiting. */
  readonly sync: () => Promise<void>;
  /** Behind each pass, done or not; and whether it was prepared. */
  readonly folded: (isPrepared: boolean) => void;
}

/** What is written during one pass is left for the next. */
const mostPasses = 5;
/** So few are left by it that the writer itself can take them over in a few milliseconds. */
export const mostLeft = 500;
/** A thread that has nothing to do for so long gives its memory back. */
const restMs = 10_000;

/** Folds the log in a thread of its own: a long push fills it so fast that every event would wait for it. */
export function logFolder(databaseFile: string, needs: FolderNeeds): LogFolder {
  let worker: Worker | null = null;
  let isFolding = false;
  let over: (() => void) | null = null;
  let resting: NodeJS.Timeout | undefined;

  const end = () => {
    const told = over;
    over = null;
    told?.();
  };
  const start = () => {
    const started = new Worker(moduleUrl("./fold-worker", import.meta.url), {
      workerData: { databaseFile },
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    started.on("message", (_said: FromFolder) => end());
    // Whatever ended it: the writer folds the log itself where it grows too long, and the next time gets a new thread.
    started.on("error", () => {});
    started.on("exit", () => {
      // One that was stopped may end when another one is at work.
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
      worker.postMessage("fold");
    });

  const stop = () => {
    clearTimeout(resting);
    const stopping = worker;
    worker = null;
    void stopping?.terminate();
  };

  /** Whether there is more to do that can be done. */
  const pass = async (): Promise<boolean> => {
    const state = needs.log();
    if (state === null || state.log === state.checkpointed) return false;
    const letGo = needs.holdBack();
    let isPrepared = false;
    try {
      await needs.prepare(state);
      isPrepared = true;
      await foldInThread();
      await needs.sync();
    } finally {
      letGo();
      needs.folded(isPrepared);
    }
    const after = needs.log();
    if (after === null || after.checkpointed <= state.checkpointed) return false;
    return after.log - after.checkpointed > mostLeft;
  };

  const passes = async () => {
    for (let done = 0; done < mostPasses && (await pass()); done++);
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
      // Where it failed, all is in the log still, and is tried again.
      void passes().then(ended, ended);
    },
    isFolding: () => isFolding,
    close: stop,
  };
}
