import { operations } from "../../../src/contract/operations.ts";
import type { LoadJob, LoadResult } from "../../clients/load.ts";
import { orderNumber } from "../../data/orders.ts";
import { median } from "../../harness/median.ts";
import { startAdapter, startConstant, startLoad, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { sideBySide } from "../../harness/side-by-side.ts";
import { largeStore, loadRounds } from "../sizes.ts";

export const scan: Figure = {
  name: "scan",
  chapter: "Answers",
  summary:
    "GET /WorkOrders/Code over 1,000 different codes of a store with 100,000 orders, 64 connections, against a bare " +
    "server on the same HTTP library that answers a constant of the same size.",
  measure: async (workshop) => {
    const adapter = await startAdapter(await workshop.store(largeStore));
    const constant = await startConstant(await anAnswer(adapter.url));
    const load = await startLoad();
    return await withChildren([adapter, constant, load], async () => {
      const against = (url: string) => () =>
        load.run<LoadResult>({
          url,
          workload: { kind: "scan", orders: largeStore.orders },
          connections: 64,
          durationMs: loadRounds.durationMs,
        } satisfies LoadJob);
      const results = await sideBySide({
        rounds: loadRounds.rounds,
        warmUps: loadRounds.warmUps,
        ours: against(adapter.url),
        bare: against(constant.url),
      });
      return [
        {
          what: "Scan, 64 connections",
          unit: "1/s",
          ours: median(results.ours.map((round) => round.perSecond)),
          bare: median(results.bare.map((round) => round.perSecond)),
          bar: { of: "ratio", at: "least", limit: 0.75 },
        },
      ];
    });
  },
};

async function anAnswer(url: string): Promise<string> {
  const response = await fetch(`${url}${operations.findWorkOrderByCode.path}?Code=${orderNumber(0)}&StorageName=Main`);
  return await response.text();
}
