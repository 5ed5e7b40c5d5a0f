import type { Child } from "../harness/processes/child.ts";
import { startPeer } from "../harness/programs.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import { needPackage } from "./skipped.ts";

export interface Peer {
  readonly name: string;
  /** The required multiple of the peer's throughput. */
  readonly limit: number;
  /** The peer behind our own HTTP front, with its database. */
  readonly start: () => Promise<Child & { readonly url: string }>;
}

/**
 * More than the default of ten. On two cores this made both peers faster, because one sync serves the commits of many
 * connections.
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
      // BullMQ lets its user choose a Redis client; this is the default.
      needPackage("ioredis");
      const { port, stop } = await startRedis();
      return withDatabase(stop, () => startPeer("bullmq", { port }));
    },
  },
  { name: "pg-boss", limit: 8, start: onPostgres("pg-boss") },
  { name: "graphile-worker", limit: 8, start: onPostgres("graphile-worker") },
];

/** Stops the database together with its server, even if the server fails to start. */
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
