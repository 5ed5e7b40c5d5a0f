import type { LoadJob, LoadResult } from "../../clients/load.ts";
import { scanThrough } from "../../data/erp-config.ts";
import { median } from "../../harness/median.ts";
import { startAdapter, startErp, startLoad, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { sideBySide } from "../../harness/side-by-side.ts";
import { emptyStore, largeStore, loadRounds } from "../sizes.ts";

export const httpScan: Figure = {
  name: "http-scan",
  chapter: "Answers",
  summary:
    "GET /WorkOrders/Code, one connection, answered by an ERP through the http connector (request, mapping, check), against " +
    "the same query sent to that ERP directly.",
  measure: async (workshop) => {
    const erp = await startErp({ ...largeStore, pageSize: 1000 });
    const adapter = await startAdapter(await workshop.ownStore(emptyStore), { config: scanThrough(erp.url) });
    const load = await startLoad();
    return await withChildren([adapter, erp, load], async () => {
      const against = (url: string) => () =>
        load.run<LoadResult>({
          url,
          workload: { kind: "scan", orders: largeStore.orders },
          connections: 1,
          durationMs: loadRounds.durationMs,
        } satisfies LoadJob);
      const results = await sideBySide({
        rounds: loadRounds.rounds,
        warmUps: loadRounds.warmUps,
        ours: against(adapter.url),
        bare: against(erp.url),
      });
      const ours = median(results.ours.map((round) => round.p50Ms));
      const bare = median(results.bare.map((round) => round.p50Ms));
      return [
        { what: "Scan through the http connector, half of them (p50)", unit: "ms", ours, bare },
        {
          what: "What the connector adds to the ERP's own answer (p50)",
          unit: "ms",
          ours: ours - bare,
          bar: { of: "figure", at: "most", limit: 2 },
        },
      ];
    });
  },
};
