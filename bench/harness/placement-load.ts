import { setTimeout as sleep } from "node:timers/promises";
import type { LoadJob, LoadResult } from "../clients/load.ts";
import type { Child } from "./processes/child.ts";

export type PlacementLoad = (url: string) => Promise<LoadResult>;

const connections = 64;
/** Orders of ten events: more than a connection of an adapter manages in one round, and for all rounds fewer than are in the store. */
const storedOrders = 36;
/** Where none has to be in the store, even a server that stores nothing does not come to their end. */
export const anyOrders = 72;

/** What an adapter has left to do behind its last event would count against whoever is measured next. */
const restMs = 1_500;

/** Put-wall events over 64 connections; every server gets the same ones, and none of them twice. */
export function placementLoad(client: Child, durationMs: number, ordersPerConnection = storedOrders): PlacementLoad {
  const firstOrders = new Map<string, number>();
  return async (url) => {
    const firstOrder = firstOrders.get(url) ?? 0;
    firstOrders.set(url, firstOrder + connections * ordersPerConnection);
    await sleep(restMs);
    const workload = { kind: "placement", firstOrder, ordersPerConnection } as const;
    return client.run<LoadResult>({ url, workload, connections, durationMs } satisfies LoadJob);
  };
}
