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
  const client = new Driver({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
  });
  // A connection that breaks between two statements; the next statement finds out.
  client.on("error", () => {});
  await client.connect();
  // As settings of the session, because a pooler may not pass on those of the connection.
  await client.query(
    `SET statement_timeout = ${timeoutMs}; SET lock_timeout = ${timeoutMs}; SET idle_in_transaction_session_timeout = ${2 * timeoutMs}`,
  );
  return client;
}
