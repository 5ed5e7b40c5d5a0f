import type { Client } from "pg";
import { type ClientOptions, hangUp, openClient } from "../open-client.ts";
import type { ReconnectingClient } from "./reconnecting-client.ts";

export interface ClientPoolOptions extends ClientOptions {
  readonly most: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/** A firewall may forget an idle connection after minutes, and tells nobody. Those in use are used all the time. */
const mostIdleMs = 10_000;

/**
 * A few connections for requests of many deployments. Each request gets a connection of its own; statements of
 * different requests have no order. A connection is opened when it is needed and dropped after an error.
 */
export function clientPool({ most, now = () => performance.now(), ...options }: ClientPoolOptions): ReconnectingClient {
  let idle: { readonly client: Client; readonly since: number }[] = [];
  const waiting = new Set<() => void>();
  let busy = 0;
  let isClosed = false;

  const enter = async (): Promise<void> => {
    if (busy < most) {
      busy++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(late);
        resolve();
      };
      // If PostgreSQL does not answer, each connection is busy for this long, and those behind would wait many times
      // as long.
      const late = setTimeout(() => {
        waiting.delete(begin);
        reject(new Error(`no connection was free for ${options.timeoutMs} ms`));
      }, options.timeoutMs);
      waiting.add(begin);
    });
  };
  /** The next one takes the place over, so nobody else can slip in. */
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) {
      busy--;
      return;
    }
    waiting.delete(next);
    next();
  };
  const dropIdle = async () => {
    const dropped = idle;
    idle = [];
    await Promise.all(dropped.map(({ client }) => hangUp(client)));
  };
  const take = async (): Promise<Client> => {
    // The one used last: those beyond the usual need stay idle.
    const last = idle.at(-1);
    if (last !== undefined && now() - last.since <= mostIdleMs) {
      idle.pop();
      return last.client;
    }
    // The others have been idle for longer.
    void dropIdle();
    const client = await openClient(options);
    client.once("end", () => {
      idle = idle.filter((one) => one.client !== client);
    });
    return client;
  };

  return {
    request: async (work) => {
      await enter();
      let client: Client | null = null;
      try {
        client = await take();
        const done = await work(client);
        if (isClosed) void hangUp(client);
        else idle.push({ client, since: now() });
        return done;
      } catch (error) {
        if (client !== null) void hangUp(client);
        // What broke one connection has probably broken the others as well. Trying them one by one would take longer
        // than a lease.
        void dropIdle();
        throw error;
      } finally {
        leave();
      }
    },
    close: async () => {
      isClosed = true;
      await dropIdle();
    },
  };
}
