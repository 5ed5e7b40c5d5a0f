import { Worker } from "node:worker_threads";
import { moduleUrl } from "../kit/module-url.ts";
import { withDeadline } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import { Fault } from "../operation/fault.ts";
import type { BulkAnswer } from "../server/connection/bulk-parser.ts";
import type { BulkJob, BulkPart, BulkSettings, FromBulk } from "./bulk-worker.ts";

export interface BulkThreads {
  /**
   * Settles when it is the job's turn. Resolves with null if the job was cancelled by then, or if the threads are
   * closed.
   */
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
  /** Only one thread processes long bodies, one at a time, because each takes a hundred megabytes. */
  readonly takesAll: boolean;
  /** The kind of the job in progress; null if there is none. */
  busyWith: "short" | "long" | null;
  callOffStop: () => void;
}

/** Another thread starts only for at least this many waiting parts: starting it takes as long as processing several. */
const partsWorthStarting = 4;
const idleMs = 60_000;
/** A body of up to this many bytes takes a second at most, and little memory. It need not wait for a longer one. */
const mostShortBytes = 4 * 2 ** 20;

// A function, because the compiler takes a member for unchanged that a call between has changed.
const isBusy = ({ busyWith }: Place) => busyWith !== null;
const isPart = (job: BulkJob) => "partOf" in job;
const isShort = ({ chunks }: BulkJob) => chunks.reduce((sum, { length }) => sum + length, 0) <= mostShortBytes;

/**
 * Gives jobs to threads in order. The first job starts the first thread, which is kept; most deployments never need
 * one. Further threads start if parts of a list arrive faster than one thread can process them, or if a short body
 * would wait for a long one. They end when idle.
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
    busyWith: null,
    callOffStop: () => {},
  }));

  const isLongInProgress = () => places.some(({ busyWith }) => busyWith === "long");
  const isWorthIt = ({ thread, takesAll }: Place) =>
    takesAll ||
    thread.isStarted() ||
    waiting.filter(({ job }) => isPart(job)).length >= partsWorthStarting ||
    (isLongInProgress() && waiting.some(({ job }) => !isPart(job) && isShort(job)));

  const begin = (place: Place) => {
    const index = waiting.findIndex(({ job }) => place.takesAll || isPart(job) || isShort(job));
    const [next] = index < 0 ? [] : waiting.splice(index, 1);
    if (next === undefined) return;
    // Asked before the thread gets the bytes, which are then no longer here.
    place.busyWith = isShort(next.job) ? "short" : "long";
    place.callOffStop();
    const reply = place.thread.run(next.job);
    void reply.over.then(() => free(place));
    next.begin(reply);
  };

  const free = (place: Place) => {
    place.busyWith = null;
    beginAll();
    if (isBusy(place) || place.takesAll) return;
    place.callOffStop = timers.after(idleMs, () => void place.thread.stop());
  };

  const beginAll = () => {
    for (const { begin: leave } of waiting.filter(({ isWanted }) => !isWanted())) leave(null);
    waiting = waiting.filter(({ isWanted }) => isWanted());
    for (const place of places) if (!isBusy(place) && isWorthIt(place)) begin(place);
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

/** A thread that runs one job at a time. */
export interface BulkThread {
  readonly run: (job: BulkJob) => BulkReply;
  readonly isStarted: () => boolean;
  readonly stop: () => Promise<void>;
}

/** The first job starts the thread. It is started again after it was stopped or has crashed. */
export function bulkThread(settings: BulkSettings): BulkThread {
  let worker: Worker | null = null;

  const start = () => {
    const started = new Worker(moduleUrl("./bulk-worker", import.meta.url), { workerData: settings });
    // The waiting reply handles the error. Without a listener, an error between two jobs would end the whole process.
    started.on("error", () => {});
    // A thread that has crashed, for example out of memory, must not get the next body.
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
      // A job that exceeds its budget is aborted together with its thread; the next job gets a new thread.
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
  /** Settles with the complete result, or as soon as an answer begins to stream. */
  readonly first: Promise<BulkDone>;
  /** Settles when the thread is free again or has ended. */
  readonly over: Promise<void>;
  /** Aborts the job. A stream that has begun ends with this error. */
  readonly fail: (error: Error) => void;
}

/** Listens for the reply to the job that the thread gets next. */
function bulkReply(worker: Worker): BulkReply {
  const { promise: first, resolve, reject } = Promise.withResolvers<BulkDone>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const arrived: Uint8Array[] = [];
  let isOver = false;
  let failure: Error | null = null;
  let wake = () => {};

  const finish = (error: Error | null) => {
    worker.off("message", onMessage).off("error", finish).off("exit", exited);
    isOver = true;
    failure = error;
    // Has no effect if the answer has begun.
    if (error !== null) reject(error);
    wake();
    end();
  };
  const exited = () => finish(new Error("the thread for large bodies has ended"));
  const onMessage = (message: FromBulk) => {
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
  worker.on("message", onMessage).on("error", finish).on("exit", exited);

  /** A slow reader does not block the thread, because unread chunks wait here. */
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
