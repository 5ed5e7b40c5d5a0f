import { Worker } from "node:worker_threads";
import { moduleUrl } from "../kit/module-url.ts";
import { withDeadline } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import { Fault } from "../operation/fault.ts";
import type { BulkAnswer } from "../server/connection/bulk-parser.ts";
import type { BulkJob, BulkPart, BulkSettings, FromBulk } from "./bulk-worker.ts";

export interface BulkThreads {
  /** Settles when it is the job's turn; with null if it is no longer wanted by then, or all is closed. */
  readonly run: (job: BulkJob, isWanted?: () => boolean) => Promise<BulkReply | null>;
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly job: BulkJob;
  readonly isWanted: () => boolean;
  readonly begin: (reply: BulkReply | null) => void;
}

interface Place {
  readonly thread: BulkThread;
  /** Whole bodies take a hundred megabytes to work on: only one place does, one after the other. */
  readonly takesAll: boolean;
  isBusy: boolean;
  callOffStop: () => void;
}

/** Starting another thread takes as long as working on several parts does. */
const partsWorthStarting = 4;
const idleMs = 60_000;

/**
 * Gives jobs to threads in their order. The first thread is started by its first job and kept: most deployments never
 * need one. Parts of a list that come faster than it works go to the others too, which end when they have been idle.
 */
export function bulkThreads({
  threads,
  timers,
}: {
  readonly threads: readonly BulkThread[];
  readonly timers: Timers;
}): BulkThreads {
  let waiting: Waiting[] = [];
  const places: Place[] = threads.map((thread, index) => ({
    thread,
    takesAll: index === 0,
    isBusy: false,
    callOffStop: () => {},
  }));

  const isWorthIt = ({ thread, takesAll }: Place) =>
    takesAll || thread.isStarted() || waiting.filter(({ job }) => "partOf" in job).length >= partsWorthStarting;

  const begin = (place: Place) => {
    const index = waiting.findIndex(({ job }) => place.takesAll || "partOf" in job);
    const [next] = index < 0 ? [] : waiting.splice(index, 1);
    if (next === undefined) return;
    place.isBusy = true;
    place.callOffStop();
    const reply = place.thread.run(next.job);
    void reply.over.then(() => free(place));
    next.begin(reply);
  };

  const free = (place: Place) => {
    place.isBusy = false;
    beginAll();
    if (place.isBusy || place.takesAll) return;
    place.callOffStop = timers.after(idleMs, () => void place.thread.stop());
  };

  const beginAll = () => {
    for (const { begin: leave } of waiting.filter(({ isWanted }) => !isWanted())) leave(null);
    waiting = waiting.filter(({ isWanted }) => isWanted());
    for (const place of places) if (!place.isBusy && isWorthIt(place)) begin(place);
  };

  return {
    run: (job, isWanted = () => true) =>
      new Promise((resolve) => {
        waiting.push({ job, isWanted, begin: resolve });
        beginAll();
      }),
    close: async () => {
      for (const { begin: leave } of waiting) leave(null);
      waiting = [];
      for (const place of places) place.callOffStop();
      await Promise.all(places.map(({ thread }) => thread.stop()));
    },
  };
}

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

type BulkDone = BulkPart | BulkAnswer;

interface BulkReply {
  /** Settles with what is done in one go, or as soon as an answer begins. */
  readonly first: Promise<BulkDone>;
  /** Settles when the thread is free again, or gone. */
  readonly over: Promise<void>;
  /** Gives up: what was begun ends with this error. */
  readonly fail: (error: Error) => void;
}

/** Hears the reply to the one job that a thread is given now. */
function bulkReply(worker: Worker): BulkReply {
  const { promise: first, resolve, reject } = Promise.withResolvers<BulkDone>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const arrived: Uint8Array[] = [];
  let isOver = false;
  let failure: Error | null = null;
  let wake = () => {};

  const finish = (error: Error | null) => {
    worker.off("message", heard).off("error", finish).off("exit", exited);
    isOver = true;
    failure = error;
    // No more than what it already was, where the answer has begun.
    if (error !== null) reject(error);
    wake();
    end();
  };
  const exited = () => finish(new Error("the thread for large bodies has ended"));
  const heard = (message: FromBulk) => {
    if (message === "ended") return finish(null);
    if ("failed" in message) return finish(new Error(message.failed));
    if ("begun" in message) return resolve({ ...message.begun, chunks: chunks() });
    if ("done" in message) {
      resolve(message.done);
      return finish(null);
    }
    arrived.push(message.chunk);
    wake();
  };
  worker.on("message", heard).on("error", finish).on("exit", exited);

  /** A slow reader holds up nobody: what it has not taken waits here, and the thread goes on. */
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = arrived.shift();
      if (chunk !== undefined) yield chunk;
      else if (failure !== null) throw failure;
      else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return { first, over, fail: finish };
}
