import { setTimeout as sleep } from "node:timers/promises";
import { moveToPostgres } from "../../../src/app/move/move-to-postgres.ts";
import type { LoadJob, LoadResult } from "../../clients/load.ts";
import { inTurn, startedInTurn } from "../../harness/in-turn.ts";
import { comparedStarts } from "../../harness/median.ts";
import { anyOrders, placementLoad } from "../../harness/placement-load.ts";
import { startDelivering } from "../../harness/processes/delivering-adapter.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startLoad, withChildren } from "../../harness/programs.ts";
import type { Measurement } from "../../harness/report/measurement.ts";
import { type Peer, peers } from "../../peers/peer.ts";
import { emptyStore, largeStore, loadRounds, starts } from "../sizes.ts";

/** The required multiple of the throughput of a queue on the same kind of PostgreSQL. */
const peerLimit = 6;
/** Fewer orders are enough for one connection, which does less in a second. */
export const loneOrders = 2_000;
/** Compiled code differs from start to start, and so does its speed, by a tenth: several starts of few rounds. */
const rounds = Math.min(6, loadRounds.rounds);
const warmUps = Math.min(4, loadRounds.warmUps);

/** The rounds of one start, by the side that was measured. */
type Rounds = Readonly<Record<string, readonly LoadResult[]>>;

function compared(all: readonly Rounds[], ours: string, bare: string, of: "perSecond" | "p50Ms") {
  const values = (side: string) => all.map((one) => (one[side] ?? []).map((round) => round[of]));
  return comparedStarts(values(ours), values(bare));
}

/** A ratio of pairs with its target, and below it the quotient of the medians. */
function withQuotient(measurement: Measurement): readonly Measurement[] {
  const { unit, ours, bare } = measurement;
  return [
    measurement,
    { what: "The same, quotient of the medians", unit, ours, ...(bare === undefined ? {} : { bare }) },
  ];
}

/** Events over 64 connections and over one, against SQLite alone and against queues on PostgreSQL. */
export async function eventsInPostgres(workshop: Workshop, store: string): Promise<readonly Measurement[]> {
  const queues = peers.filter(({ name }) => name !== "BullMQ");
  const all: Rounds[] = [];
  for (let start = 0; start < starts; start++) all.push(await eventsSinceStart(workshop, store, start, queues));
  return [
    ...withQuotient({
      what: "Acknowledged event, store in PostgreSQL to SQLite alone",
      unit: "1/s",
      ...compared(all, "shared", "alone", "perSecond"),
      bar: { of: "ratio", at: "least", limit: 0.85 },
    }),
    ...queues.map(
      ({ name }): Measurement => ({
        what: `Acknowledged event, store in PostgreSQL, against ${name}`,
        unit: "1/s",
        ...compared(all, "shared", name, "perSecond"),
        bar: { of: "ratio", at: "least", limit: peerLimit },
      }),
    ),
    ...withQuotient({
      what: "Acknowledged event, one connection, store in PostgreSQL to SQLite alone (p50)",
      unit: "ms",
      ...compared(all, "loneShared", "loneAlone", "p50Ms"),
      bar: { of: "ratio", at: "most", limit: 2 },
    }),
  ];
}

async function eventsSinceStart(
  workshop: Workshop,
  store: string,
  start: number,
  queues: readonly Peer[],
): Promise<Rounds> {
  const inPostgres = { isBooked: false, store, deployment: `events-${start}` };
  const delivering = (options: Parameters<typeof startDelivering>[1]) => async () =>
    await startDelivering(await workshop.ownStore(emptyStore), options);
  const { shared, alone } = await startedInTurn(start, {
    ...{ shared: delivering(inPostgres), alone: delivering({ isBooked: false }) },
  });
  const running: { readonly peer: Peer; readonly server: Awaited<ReturnType<Peer["start"]>> }[] = [];
  for (const peer of queues) running.push({ peer, server: await peer.start() });
  const client = await startLoad();
  const children = [...shared.children, ...alone.children, ...running.map(({ server }) => server), client];
  return await withChildren(children, async () => {
    const load = placementLoad(client, loadRounds.durationMs, anyOrders);
    const lone = placementLoad(client, loadRounds.durationMs, loneOrders, 1);
    const sides = {
      shared: () => shared.storingRound(load),
      alone: () => alone.storingRound(load),
      ...Object.fromEntries(running.map(({ peer, server }) => [peer.name, () => load(server.url)])),
      loneShared: () => shared.storingRound(lone),
      loneAlone: () => alone.storingRound(lone),
    };
    return await inTurn<string, LoadResult>(rounds, sides, warmUps);
  });
}

export async function scansInPostgres(workshop: Workshop, store: string): Promise<readonly Measurement[]> {
  const folder = await workshop.ownStore(largeStore);
  await moveToPostgres({ dataFolder: folder, url: store, deployment: "scans", notify: () => {} });
  const all: Rounds[] = [];
  for (let start = 0; start < starts; start++) {
    const { shared, alone } = await startedInTurn(start, {
      shared: () => startAdapter(folder, { store, deployment: "scans" }),
      alone: async () => await startAdapter(await workshop.store(largeStore)),
    });
    await untilOwner(shared.url);
    const client = await startLoad();
    const against = (url: string) => () =>
      client.run<LoadResult>({
        ...{ url, workload: { kind: "scan", orders: largeStore.orders }, connections: 64 },
        durationMs: loadRounds.durationMs,
      } satisfies LoadJob);
    const sides = { shared: against(shared.url), alone: against(alone.url) };
    all.push(
      await withChildren([shared, alone, client], () => inTurn(loadRounds.rounds, sides, loadRounds.warmUps, true)),
    );
  }
  return withQuotient({
    what: "Scan, store in PostgreSQL to SQLite alone",
    unit: "1/s",
    ...compared(all, "shared", "alone", "perSecond"),
    bar: { of: "ratio", at: "least", limit: 0.95 },
  });
}

/**
 * Waits until the process serves. A move keeps its lease until it ends, so a process that starts right after it has to
 * wait.
 */
async function untilOwner(url: string): Promise<void> {
  for (;;) {
    const isReady = await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
}
