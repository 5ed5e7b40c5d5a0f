import type { LoadResult } from "../../clients/load.ts";
import { inTurn } from "../../harness/in-turn.ts";
import { median } from "../../harness/median.ts";
import { placementLoad } from "../../harness/placement-load.ts";
import { startDelivering } from "../../harness/processes/delivering-adapter.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startLoad, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { peers as knownPeers, type Peer } from "../../peers/peer.ts";
import { Skipped } from "../../peers/skipped.ts";
import { emptyStore, loadRounds } from "../sizes.ts";

export const peers: Figure = {
  name: "peers",
  chapter: "Delivery",
  summary:
    "The same events as in ack, 64 connections, against queues that our own HTTP front (the same reading, checks and " +
    "envelopes) awaits before it answers: BullMQ on a Redis with appendfsync always, pg-boss and graphile-worker on a " +
    "PostgreSQL as it comes, 32 connections in the pool. Crossdock compares them with what came before as well; like " +
    "the queues it only stores and queues them while it is measured, and delivers them after each round.",
  measure: async (workshop) => {
    const running = await startAll(workshop);
    const ours = await startDelivering(await workshop.ownStore(emptyStore), { isBooked: false });
    const client = await startLoad();
    const children = [...ours.children, ...running.map(({ server }) => server), client];
    return await withChildren(children, async () => {
      const load = placementLoad(client, loadRounds.durationMs);
      const sides = running.map(({ peer, server }) => [peer.name, () => load(server.url)] as const);
      const all = { ...Object.fromEntries(sides), ours: () => ours.storingRound(load) };
      const results = await inTurn<string, LoadResult>(loadRounds.rounds, all, loadRounds.warmUps);
      const perSecondOf = (name: string) => median((results[name] ?? []).map((round) => round.perSecond));
      return running.map(({ peer: { name, limit } }) => ({
        what: `Acknowledged event, against ${name}`,
        unit: "1/s",
        ours: perSecondOf("ours"),
        bare: perSecondOf(name),
        bar: { of: "ratio", at: "least", limit },
      }));
    });
  },
};

async function startAll(workshop: Workshop) {
  const running: { peer: Peer; server: Awaited<ReturnType<Peer["start"]>> }[] = [];
  for (const peer of knownPeers) {
    try {
      running.push({ peer, server: await peer.start() });
    } catch (error) {
      if (error instanceof Skipped) workshop.skip(`${peer.name}: ${error.message}`);
      else {
        for (const { server } of running) await server.stop();
        throw error;
      }
    }
  }
  return running;
}
