import type { Client } from "pg";
import { type ClientOptions, hangUp, openClient } from "../open-client.ts";

/** A connection that is opened when it is needed, and opened again after an error. It runs one request at a time. */
export interface ReconnectingClient {
  /** Runs a request. A statement that failed may have taken effect. */
  readonly request: <Done>(work: (client: Client) => Promise<Done>) => Promise<Done>;
  readonly close: () => Promise<void>;
}

export function reconnectingClient(options: ClientOptions): ReconnectingClient {
  let client: Client | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  const execute = async <Done>(work: (client: Client) => Promise<Done>): Promise<Done> => {
    try {
      client ??= await openClient(options);
      return await work(client);
    } catch (error) {
      const broken = client;
      client = null;
      if (broken !== null) void hangUp(broken);
      throw error;
    }
  };
  return {
    request: (work) => {
      const done = turn.then(() => execute(work));
      turn = done.catch(() => {
        // The caller gets the error.
      });
      return done;
    },
    close: async () => {
      const open = client;
      client = null;
      if (open !== null) await hangUp(open);
    },
  };
}
