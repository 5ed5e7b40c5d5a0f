import type { LoadJob, LoadResult } from "../clients/load.ts";
import { largeStore, loadRounds } from "../figures/sizes.ts";
import { median } from "./median.ts";
import type { Workshop } from "./processes/workshop.ts";
import { startAdapter, startLoad, startWithoutJournal, withChildren } from "./programs.ts";
import { sideBySide } from "./side-by-side.ts";

const connections = 64;

/**
 * Sends one kind of request over 64 connections, to the adapter and to the same routes with a journal that stores
 * nothing.
 */
export async function loadAndBare(
  workshop: Workshop,
  load: {
    readonly kind: "step" | "push";
    readonly firstOrder: number;
    /** More than a connection can use in one round, so that no order is used twice. */
    readonly ordersPerConnection: number;
  },
) {
  const { kind, ordersPerConnection } = load;
  const adapter = await startAdapter(await workshop.ownStore(largeStore));
  const bare = await startWithoutJournal();
  const client = await startLoad();
  return await withChildren([adapter, bare, client], async () => {
    let { firstOrder } = load;
    const against = (url: string) => async () => {
      const workload = { kind, firstOrder, ordersPerConnection } as const;
      return await client.run<LoadResult>({
        ...{ url, workload, connections, durationMs: loadRounds.durationMs },
      } satisfies LoadJob);
    };
    const results = await sideBySide({
      rounds: loadRounds.rounds,
      warmUps: loadRounds.warmUps,
      ours: async () => {
        const result = await against(adapter.url)();
        firstOrder += connections * ordersPerConnection;
        return result;
      },
      bare: against(bare.url),
    });
    const both = (of: (round: LoadResult) => number) => ({
      ours: median(results.ours.map(of)),
      bare: median(results.bare.map(of)),
    });
    return { perSecond: both((round) => round.perSecond), p99Ms: both((round) => round.p99Ms) };
  });
}
