import type { LoadResult } from "../clients/load.ts";
import { startDelivering } from "../harness/delivering-adapter.ts";
import { inTurn } from "../harness/in-turn.ts";
import type { Figure } from "../harness/measurement.ts";
import { median } from "../harness/median.ts";
import { placementLoad } from "../harness/placement-load.ts";
import { startLoad, startWithoutJournal, withChildren } from "../harness/programs.ts";
import { emptyStore, largeStore, loadRounds } from "./sizes.ts";

export const ack: Figure = {
  name: "ack",
  chapter: "Delivery",
  summary:
    "POST of put-wall events (0.3 KB, every one another), 64 connections, journaled, compared with what came before, " +
    "queued for a webhook and synced to disk before the answer, on an adapter whose external system keeps all books " +
    "(a connector given as code in the place of the embedded system); against the same server with a journal that " +
    "stores nothing and nobody to deliver to. What was queued is delivered after each round, and every round " +
    "begins when what the one before left to be done has ended. Below it, to be known: the same where the embedded " +
    "system books the events as well, as it does by default; and that while what was acknowledged is being delivered on the same cores, with a lease, a settlement " +
    "and an HTTP exchange for each event, none of which the bare server has.",
  measure: async (workshop) => {
    const ours = await startDelivering(await workshop.ownStore(emptyStore), { isBooked: false });
    const booking = await startDelivering(await workshop.ownStore(largeStore));
    const bare = await startWithoutJournal();
    const client = await startLoad();
    return await withChildren([...ours.children, ...booking.children, bare, client], async () => {
      const load = placementLoad(client, loadRounds.durationMs);
      const { rounds, warmUps } = loadRounds;
      const sides = {
        ours: () => ours.storingRound(load),
        bare: () => load(bare.url),
        booked: () => booking.storingRound(load),
        delivering: () => booking.round(load),
      };
      const results = await inTurn<keyof typeof sides, LoadResult>(rounds, sides, warmUps);
      const perSecond = (side: keyof typeof sides) => median(results[side].map((round) => round.perSecond));
      const p99Ms = (side: keyof typeof sides) => median(results[side].map((round) => round.p99Ms));
      return [
        {
          what: "Acknowledged event, 64 connections",
          unit: "1/s",
          ours: perSecond("ours"),
          bare: perSecond("bare"),
          bar: { of: "ratio", at: "least", limit: 0.7 },
        },
        {
          what: "Acknowledged event, slowest of a hundred (p99)",
          unit: "ms",
          ours: p99Ms("ours"),
          bare: p99Ms("bare"),
          bar: { of: "ratio", at: "most", limit: 3 },
        },
        {
          what: "Acknowledged event, booked as well",
          unit: "1/s",
          ours: perSecond("booked"),
          bare: perSecond("bare"),
        },
        {
          what: "The same, slowest of a hundred (p99)",
          unit: "ms",
          ours: p99Ms("booked"),
          bare: p99Ms("bare"),
        },
        {
          what: "Acknowledged event, booked and delivered meanwhile",
          unit: "1/s",
          ours: perSecond("delivering"),
          bare: perSecond("bare"),
        },
      ];
    });
  },
};
