import { freePort } from "../../../test/peers/free-port.ts";
import { median } from "../../harness/median.ts";
import { placementLoad } from "../../harness/placement-load.ts";
import { startDelivering } from "../../harness/processes/delivering-adapter.ts";
import { startAdapter, startLoad, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { sideBySide } from "../../harness/side-by-side.ts";
import { largeStore, loadRounds } from "../sizes.ts";

export const down: Figure = {
  name: "down",
  chapter: "Delivery",
  summary:
    "The same events as in ack, with a receiver that refuses every connection, against the same adapter with a receiver " +
    "that is up. What could not be delivered stays and piles up from round to round.",
  measure: async (workshop) => {
    const up = await startDelivering(await workshop.ownStore(largeStore));
    const nobody = `http://127.0.0.1:${await freePort()}/events`;
    const downAdapter = await startAdapter(await workshop.ownStore(largeStore), { eventsTo: nobody });
    const client = await startLoad();
    return await withChildren([...up.children, downAdapter, client], async () => {
      const load = placementLoad(client, loadRounds.durationMs);
      // The slowest of a hundred varies between rounds, and a difference of a tenth must be visible, so there are more
      // rounds.
      const results = await sideBySide({
        rounds: loadRounds.rounds * 2,
        warmUps: loadRounds.warmUps,
        ours: () => load(downAdapter.url),
        bare: () => up.round(load),
      });
      return [
        {
          what: "Acknowledged event, receiver down to up (p99)",
          unit: "ms",
          ours: median(results.ours.map((round) => round.p99Ms)),
          bare: median(results.bare.map((round) => round.p99Ms)),
          bar: { of: "ratio", at: "most", limit: 1.1 },
        },
      ];
    });
  },
};
