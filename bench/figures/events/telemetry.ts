import type { LoadResult } from "../../clients/load.ts";
import { inTurn, startedInTurn } from "../../harness/in-turn.ts";
import { comparedStarts, median } from "../../harness/median.ts";
import { anyOrders, placementLoad } from "../../harness/placement-load.ts";
import { processorUs } from "../../harness/processes/memory-now.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { type ServerChild, startAdapter, startCollector, startLoad, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { emptyStore, loadRounds } from "../sizes.ts";

/** Compiled code differs from start to start, and so does its speed, by a tenth: many starts of few rounds. */
const starts = Math.min(9, loadRounds.rounds);
const rounds = Math.min(5, loadRounds.rounds);

export const telemetry: Figure = {
  name: "telemetry",
  chapter: "Delivery",
  summary:
    "POST of put-wall events (0.3 KB, every one another), 64 connections, journaled, booked and synced to disk before the " +
    "answer, on an adapter that sends traces (a span for each event) and metrics to a collector on this machine; against the same " +
    "adapter without telemetry. The ratio is the median of nine starts, of each the median of its pairs of rounds; below it the quotient of the " +
    "medians, by which it was judged before, and the processor time of all threads of the adapter for one event. Then, to be known: " +
    "the same where one of ten traces is recorded, and a second adapter without telemetry against the first, which shows how far such figures can be trusted. " +
    "Each time another one is started first.",
  measure: async (workshop) => {
    const all: Rounds[] = [];
    for (let start = 0; start < starts; start++) all.push(await sinceOneStart(workshop, start));
    const values = (name: Name, of: keyof Round) => all.map((one) => one[name].map((round) => round[of]));
    const middle = (name: Name, of: keyof Round) => median(values(name, of).flat());
    const against = (name: Name, of: keyof Round) => comparedStarts(values(name, of), values("off", of));
    return [
      {
        what: "Acknowledged event with traces and metrics",
        unit: "1/s",
        ...against("on", "perSecond"),
        bar: { of: "ratio", at: "least", limit: 0.95 },
      },
      {
        what: "The same, quotient of the medians",
        unit: "1/s",
        ...{ ours: middle("on", "perSecond"), bare: middle("off", "perSecond") },
      },
      { what: "The same, processor time of an event", unit: "µs", ...against("on", "workedUs") },
      {
        what: "The same, slowest of a hundred (p99)",
        unit: "ms",
        ...{ ours: middle("on", "p99Ms"), bare: middle("off", "p99Ms") },
      },
      { what: "The same with one of ten traces", unit: "1/s", ...against("tenth", "perSecond") },
      { what: "One of ten traces, processor time of an event", unit: "µs", ...against("tenth", "workedUs") },
      { what: "Control: the adapter without telemetry, started twice", unit: "1/s", ...against("again", "perSecond") },
      { what: "The same, processor time of an event", unit: "µs", ...against("again", "workedUs") },
    ];
  },
};

const names = ["off", "on", "tenth", "again"] as const;
type Name = (typeof names)[number];
type Round = Pick<LoadResult, "perSecond" | "p99Ms"> & { readonly workedUs: number };
type Rounds = Record<Name, readonly Round[]>;

async function sinceOneStart(workshop: Workshop, start: number): Promise<Rounds> {
  const collector = await startCollector();
  const sent = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const tenth = { ...sent, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" };
  const adapterWith = (variables: Record<string, string>) => async () =>
    await startAdapter(await workshop.ownStore(emptyStore), { variables });
  const adapters = await startedInTurn(start, {
    ...{ off: adapterWith({}), on: adapterWith(sent), tenth: adapterWith(tenth), again: adapterWith({}) },
  });
  const client = await startLoad();
  return await withChildren([...Object.values(adapters), collector, client], async () => {
    const load = placementLoad(client, loadRounds.durationMs, anyOrders);
    const round = async (adapter: ServerChild): Promise<Round> => {
      const before = await adapter.run<number>(processorUs);
      const { perSecond, p99Ms, answers } = await load(adapter.url);
      return { perSecond, p99Ms, workedUs: ((await adapter.run<number>(processorUs)) - before) / answers };
    };
    const sides = {
      off: () => round(adapters.off),
      on: () => round(adapters.on),
      tenth: () => round(adapters.tenth),
      again: () => round(adapters.again),
    };
    return await inTurn(rounds, sides, Math.min(loadRounds.warmUps, 4), true);
  });
}
