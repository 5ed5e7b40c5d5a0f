import type { LoadResult } from "../../clients/load.ts";
import { inTurn } from "../../harness/in-turn.ts";
import { median } from "../../harness/median.ts";
import { anyOrders, placementLoad } from "../../harness/placement-load.ts";
import { startDelivering } from "../../harness/processes/delivering-adapter.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startLoad, startWithoutJournal, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { type SideBySide, sideBySide } from "../../harness/side-by-side.ts";
import { emptyStore, largeStore, loadRounds, starts } from "../sizes.ts";

export const ack: Figure = {
  name: "ack",
  chapter: "Delivery",
  summary:
    "POST of put-wall events (0.3 KB, every one another), 64 connections, journaled, compared with what came before, " +
    "queued for a webhook and synced to disk before the answer, on an adapter whose external system keeps all books " +
    "(a connector given as code in the place of the embedded system); against the same server with a journal that " +
    "stores nothing and nobody to deliver to. What was queued is delivered after each round, every round " +
    "begins when what the one before left to be done has ended, and both sides are started three times. Below it, from one start, to be known: the same where the embedded " +
    "system books the events as well, as it does by default; and that while what was acknowledged is being delivered on the same cores, with a lease, a settlement " +
    "and an HTTP exchange for each event, none of which the bare server has.",
  measure: async (workshop) => [...(await stored(workshop)), ...(await booked(workshop))],
};

const rate = (rounds: readonly LoadResult[]) => median(rounds.map(({ perSecond }) => perSecond));
const slowest = (rounds: readonly LoadResult[]) => median(rounds.map(({ p99Ms }) => p99Ms));

async function stored(workshop: Workshop): Promise<Measurement[]> {
  const ours: LoadResult[] = [];
  const bare: LoadResult[] = [];
  // Compiled code differs from start to start, and so does its speed, by a tenth.
  for (let start = 0; start < starts; start++) {
    const rounds = await storedSinceOneStart(workshop);
    ours.push(...rounds.ours);
    bare.push(...rounds.bare);
  }
  return [
    {
      what: "Acknowledged event, 64 connections",
      unit: "1/s",
      ours: rate(ours),
      bare: rate(bare),
      bar: { of: "ratio", at: "least", limit: 0.7 },
    },
    {
      what: "Acknowledged event, slowest of a hundred (p99)",
      unit: "ms",
      ours: slowest(ours),
      bare: slowest(bare),
      bar: { of: "ratio", at: "most", limit: 3 },
    },
  ];
}

async function storedSinceOneStart(workshop: Workshop): Promise<SideBySide<LoadResult>> {
  const adapter = await startDelivering(await workshop.ownStore(emptyStore), { isBooked: false });
  const without = await startWithoutJournal();
  const client = await startLoad();
  return await withChildren([...adapter.children, without, client], async () => {
    const load = placementLoad(client, loadRounds.durationMs, anyOrders);
    return await sideBySide({
      ...loadRounds,
      ours: () => adapter.storingRound(load),
      bare: () => load(without.url),
    });
  });
}

async function booked(workshop: Workshop): Promise<Measurement[]> {
  const adapter = await startDelivering(await workshop.ownStore(largeStore));
  const without = await startWithoutJournal();
  const client = await startLoad();
  return await withChildren([...adapter.children, without, client], async () => {
    const load = placementLoad(client, loadRounds.durationMs);
    const bareLoad = placementLoad(client, loadRounds.durationMs, anyOrders);
    const sides = {
      booked: () => adapter.storingRound(load),
      bare: () => bareLoad(without.url),
      delivering: () => adapter.round(load),
    };
    const { booked, bare, delivering } = await inTurn(loadRounds.rounds, sides, loadRounds.warmUps);
    return [
      { what: "Acknowledged event, booked as well", unit: "1/s", ours: rate(booked), bare: rate(bare) },
      { what: "The same, slowest of a hundred (p99)", unit: "ms", ours: slowest(booked), bare: slowest(bare) },
      {
        what: "Acknowledged event, booked and delivered meanwhile",
        unit: "1/s",
        ours: rate(delivering),
        bare: rate(bare),
      },
    ];
  });
}
