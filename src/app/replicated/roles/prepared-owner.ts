import type { PreparedWriter } from "../../../journal/sqlite/prepare-writer.ts";
import { type PreparedLink, prepareLink, replicaModule } from "../../../replication/link/open-link.ts";
import type { OwnerThreads } from "./owner-threads.ts";

/** What an owner needs of the threads of its process. */
export interface PreparedThreads {
  readonly link: PreparedLink;
  readonly writer: PreparedWriter;
}

/** The threads of a process that may become the owner soon. */
export interface PreparedOwner {
  /** Starts the threads, if they are not started. Settles when they could begin at once. */
  readonly prepare: () => Promise<void>;
  readonly isPrepared: () => boolean;
  /** Hands the threads over to the owner. */
  readonly take: () => Promise<PreparedThreads>;
  /** Ends threads that nobody has taken. */
  readonly discard: () => Promise<void>;
}

export interface PreparedOwnerNeeds {
  readonly deployment: string;
  readonly projectionModule: URL | undefined;
  readonly threads: Pick<OwnerThreads, "links" | "writers">;
}

/**
 * Starts an owner's threads before they are needed. Started after the claim, they are most of the time in which nobody
 * serves: a tenth of a second on a quiet machine, seconds on a busy one.
 */
export function preparedOwner({ deployment, projectionModule, threads }: PreparedOwnerNeeds): PreparedOwner {
  let started: Promise<PreparedThreads> | null = null;
  let isPrepared = false;

  const start = async (): Promise<PreparedThreads> => {
    const modules = [projectionModule, replicaModule].filter((one) => one !== undefined);
    const writer = threads.writers.prepare(modules);
    const preparing = prepareLink(threads.links.thread(), deployment);
    try {
      const [link] = await Promise.all([preparing, writer.loaded]);
      return { link, writer };
    } catch (error) {
      // Nobody else would end the link if only the writer has failed.
      const link = await preparing.catch(() => null);
      await Promise.all([link?.discard(), writer.discard()]);
      throw error;
    }
  };
  const forget = () => {
    started = null;
    isPrepared = false;
  };
  const ready = (): Promise<PreparedThreads> => {
    if (started !== null) return started;
    const mine = start();
    started = mine;
    mine.then(
      () => {
        if (started === mine) isPrepared = true;
      },
      () => {
        // The next attempt starts new threads; whoever waits gets the error.
        if (started === mine) forget();
      },
    );
    return mine;
  };

  return {
    prepare: async () => void (await ready()),
    isPrepared: () => isPrepared,
    take: async () => {
      const prepared = await ready();
      forget();
      return prepared;
    },
    discard: async () => {
      const waiting = started;
      forget();
      // Threads that could not be started need not be ended.
      const prepared = await waiting?.catch(() => null);
      await Promise.all([prepared?.link.discard(), prepared?.writer.discard()]);
    },
  };
}
