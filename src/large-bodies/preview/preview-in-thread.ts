import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { PreviewOf } from "../../server/workshop/import-routes.ts";
import type { PreviewDone, PreviewJob } from "./preview-worker.ts";

/** Enough for a file of 16 MiB. A thread that needs more memory ends, and the adapter goes on. */
const mostHeapMb = 256;

/**
 * Reads a file for a person in a thread that ends afterwards: previews are rare, and events must not wait for them. One
 * file is read at a time; the next one waits.
 */
export function previewInThread(): PreviewOf {
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const done = last.then(() => run(job));
    // The caller gets the error. The next file is read nevertheless.
    last = done.catch(() => {});
    return done;
  };
}

const run = (job: PreviewJob) =>
  new Promise<Awaited<ReturnType<PreviewOf>>>((resolve, reject) => {
    const worker = new Worker(moduleUrl("./preview-worker", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
    });
    worker.once("message", (done: PreviewDone) => {
      if ("preview" in done) resolve(done.preview);
      else reject(new Error(done.failed));
      void worker.terminate();
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that reads a file for a preview has ended")));
    worker.postMessage(job);
  });
