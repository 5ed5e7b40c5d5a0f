import { setTimeout as sleep } from "node:timers/promises";
import type { LoadJob, LoadResult } from "../clients/load.ts";
import type { Child } from "./processes/child.ts";

export type PlacementLoad = (url: string) => Promise<LoadResult>;

const usualConnections = 64;
/**
 * Orders of ten events per connection and round: more than a connection uses, and in all rounds fewer than the store
 * has.
 */
const storedOrders = 36;
/** For servers without a store: enough that even a server that stores nothing does not run out of orders. */
export const anyOrders = 72;

/** The pause before a round, because work that an adapter does after its last event would slow the next measurement. */
const restMs = 1_500;

/** Where the orders of loads over one connection begin, so that they are others than those of the usual load. */
const firstLone = 1_000_000;

/** Sends put-wall events, usually over 64 connections. Every server gets the same events, and none of them twice. */
export function placementLoad(
  client: Child,
  durationMs: number,
  ordersPerConnection = storedOrders,
  connections = usualConnections,
): PlacementLoad {
  const firstOrders = new Map<string, number>();
  return async (url) => {
    const firstOrder = firstOrders.get(url) ?? (connections === 1 ? firstLone : 0);
    firstOrders.set(url, firstOrder + connections * ordersPerConnection);
    await sleep(restMs);
    const workload = { kind: "placement", firstOrder, ordersPerConnection } as const;
    return client.run<LoadResult>({ url, workload, connections, durationMs } satisfies LoadJob);
  };
}
