import type { Timers } from "../../kit/time/timers.ts";
import { type PreparedWriter, startWriterThread, type WriterThread } from "./prepare-writer.ts";

/** A few threads that write the journals of all deployments of a process. */
export interface WriterThreads {
  readonly prepare: (modules: readonly URL[]) => PreparedWriter;
  readonly close: () => Promise<void>;
}

interface Shared {
  readonly thread: WriterThread;
  journals: number;
  /** Keeps a thread without journals from ending. */
  keep: () => void;
}

/**
 * A thread takes 17 MB and a tenth of a second of processor time, and most journals write little: so many share a few.
 * While one of them waits for its commit, the others of its thread wait, too; that is why it is not a single thread.
 */
export function writerThreads({
  most,
  endWhenIdle,
  start = startWriterThread,
}: {
  readonly most: number;
  /** When a thread ends that has no journal any more; absent: at once. */
  readonly endWhenIdle?: { readonly afterMs: number; readonly timers: Pick<Timers, "after"> } | undefined;
  readonly start?: (modules: readonly URL[]) => WriterThread;
}): WriterThreads {
  const running = new Set<Shared>();
  let isClosed = false;

  const placeFor = (modules: readonly URL[]): Shared => {
    // A thread that failed has ended all of its journals.
    for (const one of running) if (one.thread.isOver()) running.delete(one);
    const [least] = [...running].sort((a, b) => a.journals - b.journals);
    if (least !== undefined && (least.journals === 0 || running.size >= most)) return least;
    const made = { thread: start(modules), journals: 0, keep: () => {} };
    running.add(made);
    return made;
  };
  const end = async (place: Shared) => {
    running.delete(place);
    await place.thread.end();
  };
  const leave = async (place: Shared) => {
    place.journals--;
    if (place.journals > 0) return;
    if (endWhenIdle === undefined || isClosed) await end(place);
    else place.keep = endWhenIdle.timers.after(endWhenIdle.afterMs, () => void end(place));
  };

  return {
    prepare: (modules) => {
      const place = placeFor(modules);
      place.keep();
      place.journals++;
      let left: Promise<void> | null = null;
      let ended: Promise<void> = Promise.resolve();
      const leaveOnce = () => {
        left ??= leave(place);
        return left;
      };
      // A thread that cannot be started is of no use to others.
      place.thread.loaded.catch(() => running.delete(place));
      return {
        loaded: place.thread.loaded,
        begin: (settings, port) => {
          const writer = place.thread.begin(settings, port);
          ended = writer.ended.then(leaveOnce);
          return { ...writer, ended };
        },
        discard: async () => {
          // A journal that was begun ends by itself.
          await ended;
          await leaveOnce();
        },
      };
    },
    close: async () => {
      isClosed = true;
      for (const { keep } of running) keep();
      await Promise.all([...running].map(({ thread }) => thread.end()));
    },
  };
}
