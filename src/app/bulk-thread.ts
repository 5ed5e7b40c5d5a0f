import { Worker } from "node:worker_threads";
import type { BulkAnswer, BulkRoad } from "../http/bulk-road.ts";
import type { InboundReading } from "../http/inbound/inbound-reading.ts";
import { withDeadline } from "../kit/deadline.ts";
import { moduleUrl } from "../kit/module-url.ts";
import { say } from "../messages/message.ts";
import { Fault } from "../sdk/fault.ts";
import { type BulkReply, bulkReply } from "./bulk-reply.ts";
import type { BulkJob, BulkSettings } from "./bulk-worker.ts";

/** Bodies are held in memory while they wait; more than this many at once is refused. */
const maxWaiting = 8;
const busy = { operatorText: say("general.busy") };

/** Starts the other thread when the first large body arrives, and keeps it: most deployments never need one. */
export function bulkThread(settings: BulkSettings): BulkRoad & { readonly retire: () => Promise<void> } {
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const startWorker = () => {
    const started = new Worker(moduleUrl("./bulk-worker", import.meta.url), { workerData: settings });
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

  const begin = (job: BulkJob): BulkReply => {
    worker ??= startWorker();
    const reply = bulkReply(worker);
    worker.postMessage(job, transferable(job.body));
    // A body that takes longer than its budget is given up with its thread; the next one gets a new thread.
    withDeadline(reply.over, settings.config.budgets.listMs, () => void stop()).catch((error: Error) =>
      reply.fail(new Fault("unreachable", error.message, { cause: error })),
    );
    return reply;
  };

  // One after the other: two at once would only double the memory, there is one core for them.
  const run = async <Done>(job: BulkJob): Promise<Done> => {
    if (waiting >= maxWaiting) throw new Fault("unreachable", "too many large bodies at once", busy);
    waiting++;
    const begun = last.then(() => begin(job));
    last = begun
      .then(({ over }) => over)
      .catch(() => {})
      .finally(() => waiting--);
    // The other end answers each kind of job with its own kind of reply.
    return (await (
      await begun
    ).first) as Done;
  };

  return {
    ask: (id, body, acceptLanguage) => run<BulkAnswer>({ id, body, acceptLanguage }),
    readPush: (routeName, body) => run<InboundReading>({ routeName, body }),
    close: stop,
    /** Ends when what was begun is done; another one gets the next bodies. */
    retire: async () => {
      await last;
      await stop();
    },
  };
}

/** Handing a buffer over empties it here, so only one that holds nothing but this body may go. */
function transferable(body: Uint8Array): ArrayBuffer[] {
  const { buffer } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength ? [buffer] : [];
}
