import { Worker } from "node:worker_threads";
import { withDeadline } from "../kit/deadline.ts";
import { moduleUrl } from "../kit/module-url.ts";
import { Fault } from "../sdk/fault.ts";
import { type BulkReply, bulkReply } from "./bulk-reply.ts";
import type { BulkJob, BulkSettings } from "./bulk-worker.ts";

/** A thread for one job at a time. */
export interface BulkThread {
  readonly run: (job: BulkJob) => BulkReply;
  readonly isStarted: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Starts the thread with its first job, and anew after it was stopped or has died. */
export function bulkThread(settings: BulkSettings): BulkThread {
  let worker: Worker | null = null;

  const start = () => {
    const started = new Worker(moduleUrl("./bulk-worker", import.meta.url), { workerData: settings });
    // Heard by whoever waits for a reply; without a listener between two jobs it would end the whole process.
    started.on("error", () => {});
    // A thread that died, out of memory for instance, must not be given the next body.
    started.once("exit", () => {
      if (worker === started) worker = null;
    });
    return started;
  };

  const stop = async () => {
    const stopping = worker;
    worker = null;
    await stopping?.terminate();
  };

  return {
    run: (job) => {
      worker ??= start();
      const reply = bulkReply(worker);
      worker.postMessage(job, buffersOf(job));
      // A job that takes longer than its budget is given up with its thread; the next one gets a new thread.
      withDeadline(reply.over, settings.config.budgets.listMs, () => void stop()).catch((error: Error) =>
        reply.fail(new Fault("unreachable", error.message, { cause: error })),
      );
      return reply;
    },
    isStarted: () => worker !== null,
    stop,
  };
}

const buffersOf = (job: BulkJob): ArrayBuffer[] => job.chunks.map(({ buffer }) => buffer);
