import { type MessagePort, type Transferable, Worker, type WorkerOptions } from "node:worker_threads";
import type { Timers } from "../time/timers.ts";

type Numbered<Job> = Job & { readonly job: number };
type Done<Result> = { readonly job: number } & ({ readonly result: Result } | { readonly failed: string });

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

export interface JobThread<Job, Result> {
  readonly run: (job: Job, transfer?: readonly Transferable[]) => Promise<Result>;
  readonly close: () => Promise<void>;
}

/** A thread that answers one job after another. A job starts the thread if it is not running. */
export function jobThread<Job extends object, Result>({
  url,
  name,
  endWhenIdle,
  deadline,
  ...options
}: {
  readonly url: URL;
  /** What the thread does, for the error message of a failed job. */
  readonly name: string;
  /** Absent: the thread stays, ready for the next job. */
  readonly endWhenIdle?: { readonly afterMs: number; readonly timers: Timers };
  /** A job that takes longer is aborted together with the thread, and so are those that wait behind it. */
  readonly deadline?: { readonly afterMs: number; readonly timers: Timers };
} & Pick<WorkerOptions, "resourceLimits" | "workerData">): JobThread<Job, Result> {
  let worker: Worker | null = null;
  let lastJob = 0;
  let keep = () => {};
  const waiting = new Map<number, Waiting<Result>>();
  /** Jobs for a thread that is started in the next turn. */
  let held: [job: Numbered<Job>, transfer: readonly Transferable[]][] | null = null;

  const rejectAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const hasEnded = () => new Error(`the thread that ${name} has ended`);
  const send = (job: Numbered<Job>, transfer: readonly Transferable[]) => {
    if (worker !== null) {
      worker.postMessage(job, transfer);
      return;
    }
    if (held === null) setImmediate(startHeld);
    held ??= [];
    held.push([job, transfer]);
  };
  /** Starting a thread takes many milliseconds, so it gets a turn of its own. */
  const startHeld = () => {
    const jobs = held ?? [];
    held = null;
    for (const [job, transfer] of jobs) {
      try {
        worker ??= start();
        worker.postMessage(job, transfer);
      } catch (error) {
        waiting.get(job.job)?.reject(error instanceof Error ? error : new Error(String(error)));
        waiting.delete(job.job);
      }
    }
  };

  const stop = async () => {
    const stopping = worker;
    worker = null;
    await stopping?.terminate();
  };
  const settle = (done: Done<Result>) => {
    const asked = waiting.get(done.job);
    waiting.delete(done.job);
    if ("result" in done) asked?.resolve(done.result);
    else asked?.reject(new Error(done.failed));
    if (waiting.size > 0 || endWhenIdle === undefined) return;
    keep = endWhenIdle.timers.after(endWhenIdle.afterMs, () => void stop());
  };
  const start = (): Worker => {
    const started = new Worker(url, options);
    started.on("message", settle);
    const gone = (error: Error) => {
      // Jobs that wait now are for the thread after this one.
      if (held !== null || (worker !== null && worker !== started)) return;
      worker = null;
      rejectAll(error);
    };
    started.on("error", gone);
    started.on("exit", () => gone(hasEnded()));
    started.unref();
    return started;
  };

  return {
    run: (job, transfer = []) =>
      new Promise((resolve, reject) => {
        keep();
        const number = ++lastJob;
        const late = deadline?.timers.after(deadline.afterMs, () => void worker?.terminate());
        const ended =
          <Given>(settleJob: (given: Given) => void) =>
          (given: Given) => {
            late?.();
            settleJob(given);
          };
        waiting.set(number, { resolve: ended(resolve), reject: ended(reject) });
        send({ ...job, job: number }, transfer);
      }),
    close: async () => {
      keep();
      if (held !== null) {
        held = null;
        rejectAll(hasEnded());
      }
      await stop();
    },
  };
}

/** Runs in the thread and answers every job that arrives. */
export function answerJobs<Job, Result>(
  port: MessagePort | null,
  answer: (job: Job) => Result | Promise<Result>,
  /** What is handed over instead of copied. */
  transferred: (result: Result) => readonly Transferable[] = () => [],
): void {
  if (port === null) throw new Error("jobs are answered here only in a worker thread");
  port.on("message", async (message: Numbered<Job>) => {
    const { job } = message;
    const send = (done: Done<Result>) => port.postMessage(done, "result" in done ? transferred(done.result) : []);
    try {
      const given = answer(message);
      // Most answers are ready at once, and the next job need not wait for another turn.
      send({ job, result: given instanceof Promise ? await given : given });
    } catch (error) {
      send({ job, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
