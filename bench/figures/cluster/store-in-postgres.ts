import { setTimeout as sleep } from "node:timers/promises";
import { moveToPostgres } from "../../../src/app/move/move-to-postgres.ts";
import type { LoadJob, LoadResult } from "../../clients/load.ts";
import { inTurn, startedInTurn } from "../../harness/in-turn.ts";
import { comparedStarts } from "../../harness/median.ts";
import { anyOrders, placementLoad } from "../../harness/placement-load.ts";
import { startDelivering } from "../../harness/processes/delivering-adapter.ts";
import { processorUs } from "../../harness/processes/memory-now.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { type ServerChild, startAdapter, startInsert, startLoad, withChildren } from "../../harness/programs.ts";
import type { Measurement } from "../../harness/report/measurement.ts";
import { type Peer, peers } from "../../peers/peer.ts";
import { emptyStore, largeStore, loadRounds } from "../sizes.ts";

/** The required multiple of the throughput of a queue on the same kind of PostgreSQL. */
const peerLimit = 6;
/** Fewer orders are enough for one connection, which does less in a second. */
export const loneOrders = 2_000;
/** Compiled code differs from start to start, and so does its speed, by a tenth: several starts of few rounds. */
const eventStarts = Math.min(5, loadRounds.rounds);
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
  for (let start = 0; start < eventStarts; start++) all.push(await eventsSinceStart(workshop, store, start, queues));
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
    {
      what: "A bare insert into the same PostgreSQL, to an event with SQLite alone (p50)",
      unit: "ms",
      ...compared(all, "insert", "loneAlone", "p50Ms"),
    },
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
  const insert = await startInsert(store);
  const client = await startLoad();
  const children = [insert, ...shared.children, ...alone.children, ...running.map(({ server }) => server), client];
  return await withChildren(children, async () => {
    const load = placementLoad(client, loadRounds.durationMs, anyOrders);
    const lone = placementLoad(client, loadRounds.durationMs, loneOrders, 1);
    const sides = {
      shared: () => shared.storingRound(load),
      alone: () => alone.storingRound(load),
      ...Object.fromEntries(running.map(({ peer, server }) => [peer.name, () => load(server.url)])),
      loneShared: () => shared.storingRound(lone),
      loneAlone: () => alone.storingRound(lone),
      insert: () => insert.run<LoadResult>(loadRounds.durationMs),
    };
    return await inTurn<string, LoadResult>(rounds, sides, warmUps, true);
  });
}

/** A difference of a twentieth is smaller than that between two starts of the same program. */
const scanStarts = Math.min(7, loadRounds.rounds);

/** Scans with and without PostgreSQL, and a second adapter without it, which shows how far the figure can be trusted. */
export async function scansInPostgres(workshop: Workshop, store: string): Promise<readonly Measurement[]> {
  const folder = await workshop.ownStore(largeStore);
  await moveToPostgres({ dataFolder: folder, url: store, deployment: "scans", notify: () => {} });
  const folders = { alone: await workshop.ownStore(largeStore), again: await workshop.ownStore(largeStore) };
  const all: Record<ScanSide, readonly ScanRound[]>[] = [];
  for (let start = 0; start < scanStarts; start++) {
    const adapters = await startedInTurn(start, {
      shared: () => startAdapter(folder, { store, deployment: "scans" }),
      alone: () => startAdapter(folders.alone),
      again: () => startAdapter(folders.again),
    });
    await untilOwner(adapters.shared.url);
    const client = await startLoad();
    const scanning = (adapter: ServerChild) => async (): Promise<ScanRound> => {
      const before = await adapter.run<number>(processorUs);
      const { perSecond, answers } = await client.run<LoadResult>({
        ...{ url: adapter.url, workload: { kind: "scan", orders: largeStore.orders }, connections: 64 },
        durationMs: loadRounds.durationMs,
      } satisfies LoadJob);
      return { perSecond, workedUs: ((await adapter.run<number>(processorUs)) - before) / answers };
    };
    const { shared, alone, again } = adapters;
    const sides = { shared: scanning(shared), alone: scanning(alone), again: scanning(again) };
    all.push(
      await withChildren([...Object.values(adapters), client], () =>
        inTurn<ScanSide, ScanRound>(rounds, sides, warmUps, true),
      ),
    );
  }
  const values = (side: ScanSide, of: keyof ScanRound) => all.map((one) => one[side].map((round) => round[of]));
  const against = (side: ScanSide, of: keyof ScanRound) => comparedStarts(values(side, of), values("alone", of));
  return [
    ...withQuotient({
      what: "Scan, store in PostgreSQL to SQLite alone",
      unit: "1/s",
      ...against("shared", "perSecond"),
      bar: { of: "ratio", at: "least", limit: 0.95 },
    }),
    { what: "The same, processor time of a scan", unit: "µs", ...against("shared", "workedUs") },
    { what: "Control: scans with SQLite alone, started twice", unit: "1/s", ...against("again", "perSecond") },
    { what: "The same, processor time of a scan", unit: "µs", ...against("again", "workedUs") },
  ];
}

type ScanSide = "shared" | "alone" | "again";
type ScanRound = Pick<LoadResult, "perSecond"> & { readonly workedUs: number };

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
