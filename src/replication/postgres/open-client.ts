import { Socket } from "node:net";
import type { Client } from "pg";

/** How to connect to PostgreSQL, and its time limits. */
export interface ClientOptions {
  /** `postgres://user:password@host/database?sslmode=verify-full` */
  readonly url: string;
  /** The name shown in `pg_stat_activity`. */
  readonly name: string;
  /** The time limit for connecting and for each statement. */
  readonly timeoutMs: number;
  /** PostgreSQL keeps the time limit, but the driver does not: the caller hangs up when no answer comes. */
  readonly isWatched?: boolean;
}

/** All tables of Crossdock in PostgreSQL are in this schema. */
export const schema = "crossdock";

/** Opens a connection. The driver is loaded only here, because only deployments with PostgreSQL need it. */
export async function openClient({ url, name, timeoutMs, isWatched = false }: ClientOptions): Promise<Client> {
  const { Client: Driver } = (await import("pg")).default;
  const socket = new Socket();
  const client = new Driver({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeoutMs,
    ...(isWatched ? {} : { query_timeout: timeoutMs }),
    keepAlive: true,
    stream: () => socket,
  });
  sockets.set(client, socket);
  // Without a listener, a connection that breaks between two statements would end the process; the next statement fails
  // anyway.
  client.on("error", () => {});
  try {
    await client.connect();
    // Set for the session, because a pooler may not pass on settings of the connection.
    const limits = {
      text: `SET statement_timeout = ${timeoutMs}; SET lock_timeout = ${timeoutMs}; SET idle_in_transaction_session_timeout = ${2 * timeoutMs}`,
      query_timeout: timeoutMs,
    };
    await client.query(limits);
  } catch (error) {
    // Nobody else could close it.
    socket.destroy();
    throw error;
  }
  return client;
}

/** The socket of each connection, so that it can be closed when the other side does not answer. */
const sockets = new WeakMap<Client, Socket>();
const hangUpMs = 500;

/** Closes the connection, and does not wait long for an answer: the network may be down. */
export async function hangUp(client: Client): Promise<void> {
  const socket = sockets.get(client);
  const giveUp = setTimeout(() => socket?.destroy(), hangUpMs);
  try {
    await client.end();
  } catch {
    // The connection was already broken.
  } finally {
    clearTimeout(giveUp);
    socket?.destroy();
  }
}
