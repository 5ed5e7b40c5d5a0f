import type { Client } from "pg";
import type { Timers } from "../../kit/time/timers.ts";
import { type ClientOptions, openClient } from "../postgres/open-client.ts";
import { ownerChannel } from "../postgres/ownership.ts";

/** A pause between two looks at PostgreSQL, which ends early when the owner changes. */
export interface OwnerNews {
  /** Opens a connection that is told when the owner changes. */
  readonly connect: (options: ClientOptions) => Promise<Client>;
  /** Settles after the time, or as soon as there is news since the last pause. */
  readonly pause: (ms: number) => Promise<void>;
  /** Ends the pause. */
  readonly wake: () => void;
}

/**
 * Waits for news of the owner. Without it, requests would wait for up to two intervals during a planned move: one until
 * the successor sees that the deployment is free, one until the others see the successor.
 */
export function ownerNews(deployment: string, timers: Timers): OwnerNews {
  let hasNews = false;
  let end: (() => void) | null = null;
  const wake = () => {
    hasNews = true;
    end?.();
  };
  return {
    wake,
    connect: async (options) => {
      const client = await openClient(options);
      client.on("notification", wake);
      // The name consists of letters, digits and an underscore.
      await client.query(`LISTEN ${ownerChannel(deployment)}`);
      return client;
    },
    pause: async (ms) => {
      if (!hasNews) {
        await new Promise<void>((resolve) => {
          const cancel = timers.after(ms, resolve);
          end = () => {
            cancel();
            resolve();
          };
        });
      }
      end = null;
      hasNews = false;
    },
  };
}
