import type { PacedJob, Sending } from "../../clients/paced.ts";
import { drain } from "../../harness/drain.ts";
import { median, quantile } from "../../harness/median.ts";
import { startDelivering } from "../../harness/processes/delivering-adapter.ts";
import { startPaced, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import type { Arrival } from "../../servers/receiver.ts";
import { largeStore, loadRounds } from "../sizes.ts";

const perSecond = 500;
const events = 2_500;

export const latency: Figure = {
  name: "latency",
  chapter: "Delivery",
  summary:
    "500 put-wall events per second, each of another order: from the moment the request is sent, which is before it " +
    "is accepted and committed, until the receiver has read all of the delivered one.",
  measure: async (workshop) => {
    const { url, receiver, children } = await startDelivering(await workshop.ownStore(largeStore));
    const paced = await startPaced();
    return await withChildren([...children, paced], async () => {
      const p50Ms: number[] = [];
      const p99Ms: number[] = [];
      // The first round opens connections and warms the code.
      for (let round = 0; round <= loadRounds.rounds; round++) {
        const job: PacedJob = { url, firstOrder: round * events, perSecond, events };
        const sendings = await paced.run<Sending[]>(job);
        await drain(receiver, (round + 1) * events, url);
        const latenciesMs = matched(sendings, await receiver.run<Arrival[]>("take"));
        if (round === 0) continue;
        p50Ms.push(quantile(latenciesMs, 0.5));
        p99Ms.push(quantile(latenciesMs, 0.99));
      }
      return [
        {
          what: "Sent to delivered, 500 events/s, half of them (p50)",
          unit: "ms",
          ours: median(p50Ms),
          bar: { of: "figure", at: "most", limit: 10 },
        },
        {
          what: "Sent to delivered, slowest of a hundred (p99)",
          unit: "ms",
          ours: median(p99Ms),
          bar: { of: "figure", at: "most", limit: 50 },
        },
      ];
    });
  },
};

function matched(sendings: readonly Sending[], arrivals: readonly Arrival[]): number[] {
  const arrivedAtMs = new Map(arrivals.map(({ order, atMs }) => [order, atMs]));
  return sendings.map(({ order, sentAtMs }) => {
    const atMs = arrivedAtMs.get(order);
    if (atMs === undefined) throw new Error(`${order} was accepted and did not arrive`);
    return atMs - sentAtMs;
  });
}
