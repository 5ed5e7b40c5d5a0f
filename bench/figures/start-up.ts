import { median } from "../harness/median.ts";
import { startOnce } from "../harness/processes/start-once.ts";
import type { Figure } from "../harness/report/measurement.ts";
import { largeStore } from "./sizes.ts";

const rounds = 5;
const idleMs = 2_000;

export const startUp: Figure = {
  name: "start",
  chapter: "Answers",
  summary:
    "`crossdock start` on a store with 100,000 orders: from the start of the process to the first answer of GET /Status, " +
    "and the memory the process holds after two idle seconds.",
  measure: async (workshop) => {
    const folder = await workshop.store(largeStore);
    const startMs: number[] = [];
    const idleMegabytes: number[] = [];
    // The first start fills the compile cache and the file cache, as on any machine, so it does not count.
    for (let round = 0; round <= rounds; round++) {
      const one = await startOnce(folder, { idleMs });
      if (round === 0) continue;
      startMs.push(one.startMs);
      idleMegabytes.push(one.idleMegabytes);
    }
    return [
      {
        what: "Start to first answer, 100,000 orders",
        unit: "ms",
        ours: median(startMs),
        bar: { of: "figure", at: "most", limit: 1000 },
      },
      {
        what: "Idle memory, 100,000 orders",
        unit: "MB",
        ours: median(idleMegabytes),
        bar: { of: "figure", at: "most", limit: 150 },
      },
    ];
  },
};
