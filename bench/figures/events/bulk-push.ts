import { setTimeout as sleep } from "node:timers/promises";
import type { PushJob, PushResult } from "../../clients/pusher.ts";
import { quantile } from "../../harness/median.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startFloor, startProbe, startPusher, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { refusedMeanwhile, statusAbove, whileFloorWorks } from "../../harness/while-floor-works.ts";
import { largeStore } from "../sizes.ts";

/** Long enough for a thousand events to compare with. */
const quietMs = 10_000;

export const bulkPush: Figure = {
  name: "bulk-push",
  chapter: "Bulk",
  summary:
    "One push of a million stock levels (46 MB), and one of 100,000 orders of one line (58 MB), into a store of 100,000 orders, " +
    "while 100 put-wall events and 50 GET /Status per second come; against the same ten seconds before the push. The memory is " +
    "the most that the process ever held.",
  measure: async (workshop) => [
    ...(await pushed(workshop, { topic: "stock", elements: 1_000_000, what: "a million stock levels are pushed" })),
    ...(await pushed(workshop, { topic: "workOrders", elements: 100_000, what: "100,000 orders are pushed" })),
  ],
};

async function pushed(
  workshop: Workshop,
  { what, ...push }: Omit<PushJob, "url"> & { readonly what: string },
): Promise<Measurement[]> {
  const adapter = await startAdapter(await workshop.ownStore(largeStore));
  const floor = await startFloor();
  const probe = await startProbe();
  const pusher = await startPusher();
  return await withChildren([adapter, floor, probe, pusher], async () => {
    const { url } = adapter;
    const beside = { url, floor, probe };
    const quiet = await whileFloorWorks(beside, () => sleep(quietMs));
    const busy = await whileFloorWorks(beside, () => pusher.run<PushResult>({ url, ...push } satisfies PushJob));
    return [
      {
        what: `Event while ${what} (p99)`,
        unit: "ms",
        ours: quantile(busy.latenciesMs, 0.99),
        bare: quantile(quiet.latenciesMs, 0.99),
        bar: { of: "ratio", at: "most", limit: 3 },
      },
      refusedMeanwhile(busy),
      statusAbove({ quiet, busy }),
      {
        what: `Peak memory while ${what}`,
        unit: "MB",
        ours: await adapter.run<number>(),
        bar: { of: "figure", at: "most", limit: 400 },
      },
      { what: "From the first byte of the push to the last of its answer", unit: "ms", ours: busy.result.ms },
    ];
  });
}
