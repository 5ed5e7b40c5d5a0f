import { type PreparedWriter, prepareWriter } from "../../../journal/sqlite/prepare-writer.ts";
import { type LinkNeeds, type PreparedLink, prepareLink, replicaModule } from "../../../replication/link/open-link.ts";

/** The threads that an owner needs. */
export interface OwnerThreads {
  readonly link: PreparedLink;
  readonly writer: PreparedWriter;
}

/** The threads of a process that may become the owner soon. */
export interface PreparedOwner {
  /** Starts the threads, if they are not started. Settles when they could begin at once. */
  readonly prepare: () => Promise<void>;
  readonly isPrepared: () => boolean;
  /** Hands the threads over to the owner. */
  readonly take: () => Promise<OwnerThreads>;
  /** Ends threads that nobody has taken. */
  readonly discard: () => Promise<void>;
}

/**
 * Starts an owner's threads before they are needed. Started after the claim, they are most of the time in which nobody
 * serves: a tenth of a second on a quiet machine, seconds on a busy one.
 */
export function preparedOwner(needs: LinkNeeds & { readonly projectionModule: URL | undefined }): PreparedOwner {
  let started: Promise<OwnerThreads> | null = null;
  let isPrepared = false;

  const start = async (): Promise<OwnerThreads> => {
    const modules = [needs.projectionModule, replicaModule].filter((one) => one !== undefined);
    const writer = prepareWriter(modules);
    try {
      const [link] = await Promise.all([prepareLink(needs), writer.loaded]);
      return { link, writer };
    } catch (error) {
      await writer.discard();
      throw error;
    }
  };
  const forget = () => {
    started = null;
    isPrepared = false;
  };
  const ready = (): Promise<OwnerThreads> => {
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
      const threads = await ready();
      forget();
      return threads;
    },
    discard: async () => {
      const waiting = started;
      forget();
      // Threads that could not be started need not be ended.
      const threads = await waiting?.catch(() => null);
      await Promise.all([threads?.link.discard(), threads?.writer.discard()]);
    },
  };
}
