import { setTimeout } from "node:timers/promises";
import { pollAll } from "../../data/erp-config.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startErp, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { emptyStore, largeStore } from "../sizes.ts";

const pageSizes = [500, 1000];
/** How often to check whether the list was read completely. */
const pollMs = 100;

export const poll: Figure = {
  name: "poll",
  chapter: "Answers",
  summary:
    "100,000 orders of five lines polled from an ERP in pages of 500 and of 1,000 into an empty store: mapped, checked, " +
    "journaled and booked. The most memory the process held on the way.",
  costs:
    "the memory is mostly garbage that the engine has not collected yet: with the heap limited to 160 MB the same poll is as fast.",
  measure: async (workshop) => {
    const measurements: Measurement[] = [];
    for (const pageSize of pageSizes) measurements.push(...(await pollOnce(workshop, pageSize)));
    return measurements;
  },
};

async function pollOnce(workshop: Workshop, pageSize: number): Promise<Measurement[]> {
  const erp = await startErp({ ...largeStore, pageSize });
  const startedAt = performance.now();
  const adapter = await startAdapter(await workshop.ownStore(emptyStore), { config: pollAll(erp.url, pageSize) });
  return await withChildren([adapter, erp], async () => {
    // The page after the last one is requested only when all earlier pages are on the disk.
    while ((await erp.run<number>()) === 0) await setTimeout(pollMs);
    const tookMs = performance.now() - startedAt;
    const pages = `pages of ${pageSize.toLocaleString("en")}`;
    return [
      {
        what: `Memory while 100,000 orders are polled, ${pages}`,
        unit: "MB",
        ours: await adapter.run<number>(),
        bar: { of: "figure", at: "most", limit: 300 },
      },
      { what: `Orders polled, ${pages}`, unit: "1/s", ours: (largeStore.orders / tookMs) * 1000 },
    ];
  });
}
