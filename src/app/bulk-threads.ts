import type { Timers } from "../kit/timers.ts";
import type { BulkReply } from "./bulk-reply.ts";
import type { BulkThread } from "./bulk-thread.ts";
import type { BulkJob } from "./bulk-worker.ts";

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
