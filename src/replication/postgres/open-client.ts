import { Socket } from "node:net";
import type { Client } from "pg";

/** How a PostgreSQL is reached and asked. */
export interface ClientOptions {
  /** `postgres://user:password@host/database?sslmode=verify-full` */
  readonly url: string;
  /** Appears in `pg_stat_activity`. */
  readonly name: string;
  /** For a connection and for each statement. */
  readonly timeoutMs: number;
}

/** Everything Crossdock has in a PostgreSQL lies in this schema. */
export const schema = "crossdock";

/** The driver is loaded only here: without a PostgreSQL nobody needs it. */
export async function openClient({ url, name, timeoutMs }: ClientOptions): Promise<Client> {
  const { Client: Driver } = (await import("pg")).default;
  const socket = new Socket();
  const client = new Driver({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    stream: () => socket,
  });
  sockets.set(client, socket);
  // A connection that breaks between two statements; the next statement finds out.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // As settings of the session, because a pooler may not pass on those of the connection.
  await client.query(
    `SET statement_timeout = ${timeoutMs}; SET lock_timeout = ${timeoutMs}; SET idle_in_transaction_session_timeout = ${2 * timeoutMs}`,
  );
  return client;
}

/** So that a connection can be ended whose other side does not answer. */
const sockets = new WeakMap<Client, Socket>();
const farewellMs = 500;

/** Says goodbye, and does not wait long for an answer: the network may be gone. */
export async function hangUp(client: Client): Promise<void> {
  const socket = sockets.get(client);
  const giveUp = setTimeout(() => socket?.destroy(), farewellMs);
  try {
    await client.end();
  } catch {
    // It was broken before.
  } finally {
    clearTimeout(giveUp);
    socket?.destroy();
  }
}
