import { setTimeout as sleep } from "node:timers/promises";
import { looseWire } from "../../../test/peers/loose-wire.ts";
import type { LoadResult } from "../../clients/load.ts";
import type { PacedJob } from "../../clients/paced.ts";
import { inTurn } from "../../harness/in-turn.ts";
import { median } from "../../harness/median.ts";
import { anyOrders, placementLoad } from "../../harness/placement-load.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startLoad, startPaced, startProxy, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { startPostgres } from "../../peers/postgres.ts";
import { emptyStore, loadRounds } from "../sizes.ts";
import { eventsInPostgres, loneOrders, scansInPostgres } from "./store-in-postgres.ts";

const distancesMs = [0, 1, 5, 20];
const distanceRounds = { rounds: Math.min(5, loadRounds.rounds), warmUps: Math.min(2, loadRounds.warmUps) };
const perSecond = 2_000;
const events = 10_000;
/** Programs are compiled to machine code during their first requests. By these the way through a standby was judged before. */
const coldRequests = 500;
const warmRequests = 2_000;

export const cluster: Figure = {
  name: "cluster",
  chapter: "Delivery",
  summary:
    "The same events as in ack, on an adapter whose store is a PostgreSQL on the same machine (as it comes: every commit is " +
    "synced), against the same adapter with SQLite alone, and against pg-boss and graphile-worker behind our own HTTP front. " +
    "The same with one connection, and below it what a bare insert of 2 KB by the driver takes, which is the least that can be. These ratios are the median of five starts, of each the median of its pairs of rounds, " +
    "another side first in each round; below them the quotients of the medians, by which they were judged before. Scans of a store with 100,000 orders with and without PostgreSQL (seven starts), and of a second adapter without it against the first, which shows how far that figure can be trusted. GET /Status through a " +
    "standby that passes it on, above the same asked directly, against a bare proxy of Node that passes it on: 2,000 requests after the first 500, and the first 500, by which it was judged before. How long after the last of 10,000 events, sent at 2,000 a second, a standby has them all. The events again with a PostgreSQL whose answers come later by so many milliseconds.",
  measure: async function* (workshop) {
    const postgres = await startPostgres();
    try {
      const store = postgres.connectionString;
      yield await eventsInPostgres(workshop, store);
      yield await scansInPostgres(workshop, store);
      yield await standby(workshop, store);
      yield await distances(workshop, store);
    } finally {
      await postgres.stop();
    }
  },
};

const rate = (rounds: readonly LoadResult[] = []) => median(rounds.map((round) => round.perSecond));
const usual = (rounds: readonly LoadResult[] = []) => median(rounds.map((round) => round.p50Ms));

/** Measures with the same PostgreSQL as if it were further away: its answers are delayed. */
async function distances(workshop: Workshop, store: string): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const ms of distancesMs) {
    const wire = await looseWire(store);
    wire.delay(ms);
    const config = { deployment: `distance-${ms}` };
    const adapter = await startAdapter(await workshop.ownStore(emptyStore), { store: wire.url, config });
    const client = await startLoad();
    await withChildren([adapter, client], async () => {
      const load = placementLoad(client, loadRounds.durationMs, anyOrders);
      const lone = placementLoad(client, loadRounds.durationMs, loneOrders, 1);
      const { rounds, warmUps } = distanceRounds;
      const sides = { many: () => load(adapter.url), lone: () => lone(adapter.url) };
      const results = await inTurn(rounds, sides, warmUps);
      measurements.push(
        { what: `Acknowledged event, PostgreSQL ${ms} ms away`, unit: "1/s", ours: rate(results.many) },
        { what: `The same with one connection, PostgreSQL ${ms} ms away (p50)`, unit: "ms", ours: usual(results.lone) },
      );
    });
    wire.close();
  }
  return measurements;
}

async function standby(workshop: Workshop, store: string): Promise<Measurement[]> {
  const config = { deployment: "followed" };
  const owner = await startAdapter(await workshop.ownStore(emptyStore), { store, config });
  const second = await startAdapter(await workshop.ownStore(emptyStore), { store, config });
  const proxy = await startProxy(owner.url);
  const paced = await startPaced();
  return await withChildren([owner, second, proxy, paced], async () => {
    const hops: number[] = [];
    const bare: number[] = [];
    const direct: number[] = [];
    for (let nth = 0; nth < coldRequests + warmRequests; nth++) {
      hops.push(await statusMs(second.url));
      bare.push(await statusMs(proxy.url));
      direct.push(await statusMs(owner.url));
    }
    /** The median of some requests, above that of the direct ones. */
    const above = (other: readonly number[], from: number, to?: number) =>
      Math.max(0, median(other.slice(from, to)) - median(direct.slice(from, to)));
    await paced.run({ url: owner.url, firstOrder: 0, perSecond, events } satisfies PacedJob);
    const from = performance.now();
    while ((await behind(second.url)) > 0) await sleep(5);
    return [
      {
        what: "GET /Status through a standby, above the direct one (p50)",
        unit: "ms",
        ours: above(hops, coldRequests),
        bare: above(bare, coldRequests),
        bar: { of: "figure", at: "most", limit: 1 },
      },
      {
        what: `The same, the first ${coldRequests} after a start`,
        unit: "ms",
        ours: above(hops, 0, coldRequests),
        bare: above(bare, 0, coldRequests),
      },
      {
        what: "A standby has all of 2,000 events/s after",
        unit: "ms",
        ours: performance.now() - from,
        bar: { of: "figure", at: "most", limit: 1_000 },
      },
    ];
  });
}

async function statusMs(url: string): Promise<number> {
  const from = performance.now();
  await (await fetch(`${url}/Status`)).arrayBuffer();
  return performance.now() - from;
}

async function behind(url: string): Promise<number> {
  const answer = (await (await fetch(`${url}/health/ready`)).json()) as { standby?: { behind: number } };
  return answer.standby?.behind ?? 0;
}
