import { type WriterThreads, writerThreads } from "../../../journal/sqlite/writer-threads.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import { type LinkThreads, linkThreads } from "../../../replication/link/link-thread.ts";
import { clientPool } from "../../../replication/postgres/connection/client-pool.ts";
import {
  type ReconnectingClient,
  reconnectingClient,
} from "../../../replication/postgres/connection/reconnecting-client.ts";
import { type StoreWatch, storeWatch } from "../../../replication/standby/store-watch.ts";

/** The threads and connections of a process, which do not depend on the number of its deployments. */
export interface OwnerThreads {
  readonly links: LinkThreads;
  readonly writers: WriterThreads;
  /** Connections of the main thread, for the databases beside the journals, and for followed deployments if many. */
  readonly sides: ReconnectingClient;
  /** Reads the states of the deployments that this process follows. */
  readonly watch: StoreWatch;
  readonly close: () => Promise<void>;
}

/** For a process with one deployment, whose statements go to PostgreSQL one after the other. */
export const oneOwner = { writers: 1, connections: 1 };
/**
 * For a process with many. Each writer waits for one commit at a time, and each lease is renewed twice a second: twice
 * as many connections as writers are enough.
 */
export const manyOwners = { writers: 4, connections: 8 };
/**
 * How long a process with many keeps a thread that has no journal: while processes are restarted one after the other,
 * deployments come and go, and a thread that is started for each of them takes longer than opening the deployment.
 */
const idleWriterMs = 60_000;

export function ownerThreads({
  url,
  name,
  patienceMs,
  pollMs,
  writers: most,
  connections,
}: {
  readonly url: string;
  /** The name of the connections, shown in `pg_stat_activity`. */
  readonly name: string;
  /** How long a commit is retried before it is refused. */
  readonly patienceMs: number;
  /** How often the states of followed deployments are read. */
  readonly pollMs: number;
  readonly writers: number;
  readonly connections: number;
}): OwnerThreads {
  const links = linkThreads({ url, patienceMs, name, connections });
  const endWhenIdle = most === 1 ? undefined : { afterMs: idleWriterMs, timers: systemTimers };
  const writers = writerThreads({ most, endWhenIdle });
  const sides = clientPool({ url, name: `${name}, sides`, timeoutMs: patienceMs, most });
  const watch = storeWatch({
    connection: reconnectingClient({ url, name: `${name}, follows`, timeoutMs: patienceMs }),
    // A process with one deployment does not need both at the same time.
    request: most === 1 ? undefined : sides.request,
    ...{ pollMs, timers: systemTimers },
  });
  return {
    ...{ links, writers, sides, watch },
    close: async () => {
      await Promise.all([links.close(), writers.close(), sides.close(), watch.close()]);
    },
  };
}
