import { median } from "../harness/median.ts";
import { placementLoad } from "../harness/placement-load.ts";
import { startDelivering } from "../harness/processes/delivering-adapter.ts";
import { startOnce } from "../harness/processes/start-once.ts";
import { startLoad, withChildren } from "../harness/programs.ts";
import type { Figure } from "../harness/report/measurement.ts";
import { sideBySide } from "../harness/side-by-side.ts";
import { emptyStore, fullJournal, loadRounds } from "./sizes.ts";

const starts = 5;

export const fiveMillion: Figure = {
  name: "five-million",
  chapter: "Delivery",
  summary:
    "The same events as in ack on a journal with 5 million delivered entries (of half a million orders), against an " +
    "empty one, both with a receiver that is up; and from the start of the process of `crossdock start` on the full " +
    "one to the first answer of GET /Status.",
  measure: async (workshop) => {
    const folder = await workshop.ownStore(fullJournal);
    const full = await startDelivering(folder);
    const empty = await startDelivering(await workshop.ownStore(emptyStore));
    const client = await startLoad();
    const results = await withChildren([...full.children, ...empty.children, client], () => {
      const load = placementLoad(client, loadRounds.durationMs);
      return sideBySide({
        rounds: loadRounds.rounds,
        warmUps: loadRounds.warmUps,
        ours: () => full.round(load),
        bare: () => empty.round(load),
      });
    });
    const startMs: number[] = [];
    // The first start fills the compile cache, as on any machine, so it does not count.
    for (let round = 0; round <= starts; round++) {
      const one = await startOnce(folder, { idleMs: 0 });
      if (round > 0) startMs.push(one.startMs);
    }
    return [
      {
        what: "Acknowledged event, 5 million entries to none (p99)",
        unit: "ms",
        ours: median(results.ours.map((round) => round.p99Ms)),
        bare: median(results.bare.map((round) => round.p99Ms)),
        bar: { of: "ratio", at: "most", limit: 1.3 },
      },
      {
        what: "Start to first answer, 5 million entries",
        unit: "ms",
        ours: median(startMs),
        bar: { of: "figure", at: "most", limit: 1000 },
      },
    ];
  },
};
