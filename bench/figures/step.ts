import type { LoadJob, LoadResult } from "../clients/load.ts";
import type { Figure } from "../harness/measurement.ts";
import { median } from "../harness/median.ts";
import { startAdapter, startLoad, startWithoutJournal, withChildren } from "../harness/programs.ts";
import { sideBySide } from "../harness/side-by-side.ts";
import { largeStore, loadRounds } from "./sizes.ts";

const connections = 64;
/** Orders of 5 lines: more confirmations than a connection manages in one round. */
const ordersPerConnection = 150;

export const step: Figure = {
  name: "step",
  chapter: "Answers",
  summary:
    "POST ConfirmWorkOrderStep (1.2 KB with an update model of 5 lines, every confirmation another one), journaled, " +
    "booked and synced to disk before the answer, 64 connections on neighbouring orders (on orders far apart more pages " +
    "are written per commit), against the same routes with a journal that stores nothing.",
  costs:
    "One confirmation takes about 75 µs in the writer thread, half of it the commit of the six pages that it touches, " +
    "and about 20 µs more in the server thread for handing it over and back. On two cores both compete with the load generator, so that the sum counts and not the " +
    "longer of the two.",
  measure: async (workshop) => {
    const adapter = await startAdapter(await workshop.ownStore(largeStore));
    const bare = await startWithoutJournal();
    const load = await startLoad();
    return await withChildren([adapter, bare, load], async () => {
      let firstOrder = 0;
      const against = (url: string) => async () => {
        const workload = { kind: "step", firstOrder, ordersPerConnection } as const;
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
          what: "Confirmed step, 64 connections",
          unit: "1/s",
          ours: median(results.ours.map((round) => round.perSecond)),
          bare: median(results.bare.map((round) => round.perSecond)),
          bar: { of: "ratio", at: "least", limit: 0.6 },
        },
        {
          what: "Confirmed step, slowest of a hundred (p99)",
          unit: "ms",
          ours: median(results.ours.map((round) => round.p99Ms)),
          bare: median(results.bare.map((round) => round.p99Ms)),
          bar: { of: "ratio", at: "most", limit: 3 },
        },
      ];
    });
  },
};
