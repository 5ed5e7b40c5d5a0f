import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { PushReading } from "../engine/read-push.ts";
import type { BulkAnswer, BulkRoad } from "../http/bulk-road.ts";
import { withDeadline } from "../kit/deadline.ts";
import { moduleUrl } from "../kit/module-url.ts";
import type { BulkJob, BulkSettings } from "./bulk-worker.ts";

type Reply = { readonly done: unknown } | { readonly failed: string };

/** Bodies are held in memory while they wait; more than this many at once is refused. */
const maxWaiting = 8;

/** Starts the other thread when the first large body arrives, and keeps it: most deployments never need one. */
export function bulkThread(settings: BulkSettings): BulkRoad {
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const stop = async () => {
    const stopping = worker;
    worker = null;
    await stopping?.terminate();
  };

  const runAlone = async (job: BulkJob): Promise<unknown> => {
    worker ??= new Worker(moduleUrl("./bulk-worker", import.meta.url), { workerData: settings });
    const replied = once(worker, "message") as Promise<[Reply]>;
    worker.postMessage(job, transferable(job.body));
    // A body that takes longer than its budget is given up with its thread; the next one gets a new thread.
    const [reply] = await withDeadline(replied, settings.config.budgets.listMs, () => void stop());
    if ("failed" in reply) throw new Error(reply.failed);
    return reply.done;
  };

  // One after the other: two at once would only double the memory, there is one core for them.
  const run = async <Done>(job: BulkJob): Promise<Done> => {
    if (waiting >= maxWaiting) throw new Error("too many large bodies at once");
    waiting++;
    const result = last.then(() => runAlone(job));
    last = result.catch(() => {}).finally(() => waiting--);
    // The other end answers each kind of job with its own kind of reply.
    return (await result) as Done;
  };

  return {
    ask: (id, body, acceptLanguage) => run<BulkAnswer>({ id, body, acceptLanguage }),
    readPush: (topic, body) => run<PushReading>({ topic, body }),
    close: stop,
  };
}

/** Handing a buffer over empties it here, so only one that holds nothing but this body may go. */
function transferable(body: Uint8Array): ArrayBuffer[] {
  const { buffer } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength ? [buffer] : [];
}
