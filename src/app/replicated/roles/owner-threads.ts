import { type WriterThreads, writerThreads } from "../../../journal/sqlite/writer-threads.ts";
import { type LinkThreads, linkThreads } from "../../../replication/link/link-thread.ts";
import { clientPool } from "../../../replication/postgres/connection/client-pool.ts";
import type { ReconnectingClient } from "../../../replication/postgres/connection/reconnecting-client.ts";

/** The threads and connections of a process that owns deployments, which do not depend on the number of deployments. */
export interface OwnerThreads {
  readonly links: LinkThreads;
  readonly writers: WriterThreads;
  /** Connections of the main thread, for the databases beside the journals. */
  readonly sides: ReconnectingClient;
  readonly close: () => Promise<void>;
}

/** For a process with one deployment, whose statements go to PostgreSQL one after the other. */
export const oneOwner = { writers: 1, connections: 1 };
/**
 * For a process with many. Each writer waits for one commit at a time, and each lease is renewed twice a second: twice
 * as many connections as writers are enough.
 */
export const manyOwners = { writers: 4, connections: 8 };

export function ownerThreads({
  url,
  name,
  patienceMs,
  writers: most,
  connections,
}: {
  readonly url: string;
  /** The name of the connections, shown in `pg_stat_activity`. */
  readonly name: string;
  /** How long a commit is retried before it is refused. */
  readonly patienceMs: number;
  readonly writers: number;
  readonly connections: number;
}): OwnerThreads {
  const links = linkThreads({ url, patienceMs, name, connections });
  const writers = writerThreads({ most });
  const sides = clientPool({ url, name: `${name}, sides`, timeoutMs: patienceMs, most });
  return {
    ...{ links, writers, sides },
    close: async () => {
      await Promise.all([links.close(), writers.close(), sides.close()]);
    },
  };
}
