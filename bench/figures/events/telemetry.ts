import type { LoadResult } from "../../clients/load.ts";
import { inTurn } from "../../harness/in-turn.ts";
import { median } from "../../harness/median.ts";
import { anyOrders, placementLoad } from "../../harness/placement-load.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startCollector, startLoad, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { emptyStore, loadRounds, starts } from "../sizes.ts";

export const telemetry: Figure = {
  name: "telemetry",
  chapter: "Delivery",
  summary:
    "POST of put-wall events (0.3 KB, every one another), 64 connections, journaled, booked and synced to disk before the " +
    "answer, on an adapter that sends traces (two spans for each event) and metrics to a collector on this machine; against the same " +
    "adapter without telemetry. Below it, to be known: the same where one of ten traces is recorded. All are started three times.",
  measure: async (workshop) => {
    const sides: Sides = { off: [], on: [], tenth: [] };
    // Compiled code differs from start to start, and so does its speed, by a tenth.
    for (let start = 0; start < starts; start++) {
      const rounds = await sinceOneStart(workshop);
      for (const name of names) sides[name].push(...rounds[name]);
    }
    const rate = (name: Name) => median(sides[name].map(({ perSecond }) => perSecond));
    const slowest = (name: Name) => median(sides[name].map(({ p99Ms }) => p99Ms));
    return [
      {
        what: "Acknowledged event with traces and metrics",
        unit: "1/s",
        ...{ ours: rate("on"), bare: rate("off") },
        bar: { of: "ratio", at: "least", limit: 0.95 },
      },
      { what: "The same, slowest of a hundred (p99)", unit: "ms", ours: slowest("on"), bare: slowest("off") },
      { what: "The same with one of ten traces", unit: "1/s", ours: rate("tenth"), bare: rate("off") },
    ];
  },
};

const names = ["off", "on", "tenth"] as const;
type Name = (typeof names)[number];
type Sides = Record<Name, LoadResult[]>;

async function sinceOneStart(workshop: Workshop): Promise<Record<Name, readonly LoadResult[]>> {
  const collector = await startCollector();
  const sent = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const tenth = { ...sent, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" };
  const adapterWith = async (variables: Record<string, string>) =>
    await startAdapter(await workshop.ownStore(emptyStore), { variables });
  const adapters = { off: await adapterWith({}), on: await adapterWith(sent), tenth: await adapterWith(tenth) };
  const client = await startLoad();
  return await withChildren([...Object.values(adapters), collector, client], async () => {
    const load = placementLoad(client, loadRounds.durationMs, anyOrders);
    const sides = {
      off: () => load(adapters.off.url),
      on: () => load(adapters.on.url),
      tenth: () => load(adapters.tenth.url),
    };
    return await inTurn(loadRounds.rounds, sides, loadRounds.warmUps);
  });
}
