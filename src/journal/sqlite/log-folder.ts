import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { FromFolder } from "./fold-worker.ts";

export interface LogFolder {
  /** Folds the log into the database file while others write; calls back when that is over, done or not. */
  readonly fold: (then: () => void) => void;
  readonly isFolding: () => boolean;
  readonly close: () => void;
}

/** Folds the log in a thread of its own: a long push fills it so fast that every event would wait for it. */
export function logFolder(databaseFile: string): LogFolder {
  let worker: Worker | null = null;
  let over: (() => void) | null = null;

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
      if (worker === started) worker = null;
      end();
    });
    started.unref();
    return started;
  };

  return {
    fold: (then) => {
      if (over !== null) return;
      over = then;
      worker ??= start();
      worker.postMessage("fold");
    },
    isFolding: () => over !== null,
    close: () => {
      over = null;
      void worker?.terminate();
    },
  };
}
