import type { Child } from "../harness/processes/child.ts";
import { startPeer } from "../harness/programs.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import { needPackage } from "./skipped.ts";

export interface Peer {
  readonly name: string;
  /** So many times its throughput we have to reach. */
  readonly limit: number;
  /** The server behind our own HTTP front, and the database it keeps its jobs in. */
  readonly start: () => Promise<Child & { readonly url: string }>;
}

/**
 * More than the usual ten: on two cores it made both of them faster, and a commit of many connections is
 * synced once for all of them.
 */
const connections = 32;

const onPostgres = (name: "pg-boss" | "graphile-worker") => async () => {
  needPackage(name);
  const { connectionString, stop } = await startPostgres();
  return withDatabase(stop, () => startPeer(name, { connectionString, connections }));
};

export const peers: readonly Peer[] = [
  {
    name: "BullMQ",
    limit: 1.4,
    start: async () => {
      needPackage("bullmq");
      // BullMQ leaves the choice of its Redis client to us; this is the one it uses unless told otherwise.
      needPackage("ioredis");
      const { port, stop } = await startRedis();
      return withDatabase(stop, () => startPeer("bullmq", { port }));
    },
  },
  { name: "pg-boss", limit: 8, start: onPostgres("pg-boss") },
  { name: "graphile-worker", limit: 8, start: onPostgres("graphile-worker") },
];

/** The database ends with its server, or with the failure to start it. */
async function withDatabase<Server extends Child>(
  stopDatabase: () => Promise<void>,
  start: () => Promise<Server>,
): Promise<Server> {
  try {
    const server = await start();
    return {
      ...server,
      stop: async () => {
        await server.stop();
        await stopDatabase();
      },
    };
  } catch (error) {
    await stopDatabase();
    throw error;
  }
}
