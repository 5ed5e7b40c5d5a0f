import type { LoadJob, LoadResult } from "../clients/load.ts";
import type { Figure } from "../harness/measurement.ts";
import { median } from "../harness/median.ts";
import { startAdapter, startLoad, startWithoutJournal, withChildren } from "../harness/programs.ts";
import { sideBySide } from "../harness/side-by-side.ts";
import { largeStore, loadRounds } from "./sizes.ts";

const connections = 64;
/** More than a connection manages in one round. */
const ordersPerConnection = 400;

export const push: Figure = {
  name: "push",
  chapter: "Answers",
  summary:
    "POST /inbound/work-orders, one new order of 5 lines (1.4 KB) at a time, 64 connections with the API key, journaled, " +
    "applied to a store of 100,000 orders and synced to disk before the answer, against the same routes with a journal that " +
    "stores nothing.",
  measure: async (workshop) => {
    const adapter = await startAdapter(await workshop.ownStore(largeStore));
    const bare = await startWithoutJournal();
    const load = await startLoad();
    return await withChildren([adapter, bare, load], async () => {
      let firstOrder: number = largeStore.orders;
      const against = (url: string) => async () => {
        const workload = { kind: "push", firstOrder, ordersPerConnection } as const;
        const job: LoadJob = { url, workload, connections, durationMs: loadRounds.durationMs };
        return await load.run<LoadResult>(job);
      };
      const results = await sideBySide({
        rounds: loadRounds.rounds,
        ours: async () => {
          const result = await against(adapter.url)();
          firstOrder += connections * ordersPerConnection;
          return result;
        },
        bare: against(bare.url),
      });
      return [
        {
          what: "Pushed order, 64 connections",
          unit: "1/s",
          ours: median(results.ours.map((round) => round.perSecond)),
          bare: median(results.bare.map((round) => round.perSecond)),
          bar: { of: "ratio", at: "least", limit: 0.5 },
        },
        {
          what: "Pushed order, slowest of a hundred (p99)",
          unit: "ms",
          ours: median(results.ours.map((round) => round.p99Ms)),
          bare: median(results.bare.map((round) => round.p99Ms)),
        },
      ];
    });
  },
};
