import type { Client } from "pg";
import type { Timers } from "../../kit/time/timers.ts";
import { type DeploymentState, findDeployments } from "../postgres/change-log.ts";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { ownerChannel } from "../postgres/ownership.ts";

/** Reads the states of all deployments that a process does not own, over one connection. */
export interface StoreWatch {
  readonly watch: (deployment: string) => WatchedDeployment;
  /** Runs other statements for these deployments. */
  readonly request: ReconnectingClient["request"];
  readonly close: () => Promise<void>;
}

export interface WatchedDeployment {
  /** Returns what PostgreSQL knows, as of this call or later; null if it does not know the deployment. */
  readonly state: () => Promise<DeploymentState | null>;
  /** Settles after the interval, or as soon as there is news of the owner since the last pause. */
  readonly pause: () => Promise<void>;
  /** Ends the pause. */
  readonly wake: () => void;
  readonly stop: () => void;
}

export interface StoreWatchNeeds {
  /** Used by nobody else, because it is told when an owner changes. */
  readonly connection: ReconnectingClient;
  /** Runs other statements; absent: the same connection does. */
  readonly request?: ReconnectingClient["request"] | undefined;
  readonly pollMs: number;
  readonly timers: Timers;
}

interface StateQuery {
  readonly deployment: string;
  readonly resolve: (state: DeploymentState | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Watches deployments. All pauses end at the same moment, and what is asked in the same moment is one statement: a
 * process that follows hundreds of deployments would otherwise ask thousands of times a second.
 *
 * It asks at intervals instead of listening for changes: notifications would make PostgreSQL serialise the commits of
 * all deployments. It only listens for changes of the owner. Without that, requests would wait for up to two intervals
 * during a planned move: one until the successor sees that the deployment is free, one until the others see the
 * successor.
 */
export function storeWatch({ connection, request, pollMs, timers }: StoreWatchNeeds): StoreWatch {
  /** By the channel of the deployment, how to wake those who watch it. */
  const watching = new Map<string, Set<() => void>>();
  /** What the current connection listens to. */
  let listening: { readonly client: Client; readonly channels: Set<string> } | null = null;
  let queries: StateQuery[] = [];
  let isReading = false;
  let paused: (() => void)[] = [];
  let cancelTick: (() => void) | null = null;

  const tick = () => {
    cancelTick = null;
    const ended = paused;
    paused = [];
    for (const end of ended) end();
  };

  /** Before the states are read, so that a change after that is not missed. */
  const listen = async (client: Client): Promise<void> => {
    if (listening?.client !== client) {
      listening = { client, channels: new Set() };
      client.on("notification", ({ channel }) => {
        for (const wake of watching.get(channel) ?? []) wake();
      });
    }
    const { channels } = listening;
    const wanted = [...watching.keys()].filter((channel) => !channels.has(channel));
    const unwanted = [...channels].filter((channel) => !watching.has(channel));
    if (wanted.length + unwanted.length === 0) return;
    // The names consist of letters, digits and an underscore.
    await client.query(
      [...wanted.map((one) => `LISTEN ${one}`), ...unwanted.map((one) => `UNLISTEN ${one}`)].join(";"),
    );
    for (const channel of wanted) channels.add(channel);
    for (const channel of unwanted) channels.delete(channel);
  };

  const readAll = async (): Promise<void> => {
    isReading = true;
    // Everyone whose pause has just ended asks in this turn.
    await new Promise<void>((resolve) => timers.soon(resolve));
    while (queries.length > 0) {
      const batch = queries;
      queries = [];
      try {
        const states = await connection.request(async (client) => {
          await listen(client);
          return await findDeployments(client, [...new Set(batch.map(({ deployment }) => deployment))]);
        });
        for (const { deployment, resolve } of batch) resolve(states.get(deployment) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isReading = false;
    await hangUpIfUnused();
  };
  /** A process that owns everything it has open needs no connection for this. */
  const hangUpIfUnused = async () => {
    if (watching.size === 0 && !isReading) await connection.close();
  };

  return {
    request: request ?? connection.request,
    watch: (deployment) => {
      let hasNews = false;
      let end: (() => void) | null = null;
      const wake = () => {
        hasNews = true;
        end?.();
      };
      const channel = ownerChannel(deployment);
      const others = watching.get(channel) ?? new Set();
      watching.set(channel, others.add(wake));
      return {
        wake,
        state: () =>
          new Promise((resolve, reject) => {
            queries.push({ deployment, resolve, reject });
            if (!isReading) void readAll();
          }),
        pause: async () => {
          if (!hasNews) {
            await new Promise<void>((resolve) => {
              end = resolve;
              paused.push(resolve);
              cancelTick ??= timers.after(pollMs, tick);
            });
          }
          end = null;
          hasNews = false;
        },
        stop: () => {
          others.delete(wake);
          if (others.size === 0 && watching.get(channel) === others) watching.delete(channel);
          wake();
          void hangUpIfUnused();
        },
      };
    },
    close: async () => {
      cancelTick?.();
      tick();
      await connection.close();
    },
  };
}
