import { startDelivering } from "../harness/delivering-adapter.ts";
import type { Figure } from "../harness/measurement.ts";
import { median } from "../harness/median.ts";
import { placementLoad } from "../harness/placement-load.ts";
import { startLoad, startWithoutJournal, withChildren } from "../harness/programs.ts";
import { sideBySide } from "../harness/side-by-side.ts";
import { largeStore, loadRounds } from "./sizes.ts";

export const ack: Figure = {
  name: "ack",
  chapter: "Delivery",
  summary:
    "POST of put-wall events (0.3 KB, every one another), 64 connections, journaled, booked, queued for a webhook and " +
    "synced to disk before the answer; against the same server with a journal that stores nothing and nobody to " +
    "deliver to. What was queued is delivered after each round, before the next one begins. Below it, to be known: the " +
    "same while what was acknowledged is being delivered on the same cores, with a lease, a settlement and an HTTP " +
    "exchange for each event, none of which the bare server has.",
  measure: async (workshop) => {
    const ours = await startDelivering(await workshop.ownStore(largeStore));
    const bare = await startWithoutJournal();
    const client = await startLoad();
    return await withChildren([...ours.children, bare, client], async () => {
      const load = placementLoad(client, loadRounds.durationMs);
      const results = await sideBySide({
        rounds: loadRounds.rounds,
        warmUps: loadRounds.warmUps,
        ours: () => ours.storingRound(load),
        bare: () => load(bare.url),
      });
      const busy = await sideBySide({
        rounds: loadRounds.rounds,
        warmUps: loadRounds.warmUps,
        ours: () => ours.round(load),
        bare: () => load(bare.url),
      });
      return [
        {
          what: "Acknowledged event, 64 connections",
          unit: "1/s",
          ours: median(results.ours.map((round) => round.perSecond)),
          bare: median(results.bare.map((round) => round.perSecond)),
          bar: { of: "ratio", at: "least", limit: 0.7 },
        },
        {
          what: "Acknowledged event, slowest of a hundred (p99)",
          unit: "ms",
          ours: median(results.ours.map((round) => round.p99Ms)),
          bare: median(results.bare.map((round) => round.p99Ms)),
          bar: { of: "ratio", at: "most", limit: 3 },
        },
        {
          what: "Acknowledged event while delivering",
          unit: "1/s",
          ours: median(busy.ours.map((round) => round.perSecond)),
          bare: median(busy.bare.map((round) => round.perSecond)),
        },
      ];
    });
  },
};
