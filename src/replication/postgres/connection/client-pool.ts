import type { Client } from "pg";
import { type ClientOptions, hangUp, openClient } from "../open-client.ts";
import type { ReconnectingClient } from "./reconnecting-client.ts";

/**
 * A few connections for requests of many deployments. Each request gets a connection of its own; statements of
 * different requests have no order. A connection is opened when it is needed and dropped after an error.
 */
export function clientPool({ most, ...options }: ClientOptions & { readonly most: number }): ReconnectingClient {
  const idle: Client[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;

  const enter = async (): Promise<void> => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy++;
  };
  /** The next one takes the place over, so nobody else can slip in. */
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next();
  };

  return {
    request: async (work) => {
      await enter();
      let client: Client | null = null;
      try {
        // The one used last: those beyond the usual need stay idle.
        client = idle.pop() ?? (await openClient(options));
        const done = await work(client);
        idle.push(client);
        return done;
      } catch (error) {
        if (client !== null) void hangUp(client);
        throw error;
      } finally {
        leave();
      }
    },
    close: async () => {
      await Promise.all(idle.splice(0).map(hangUp));
    },
  };
}
