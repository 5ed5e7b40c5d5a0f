import type { FloorJob, FloorResult } from "../clients/floor.ts";
import type { ProbeJob } from "../clients/probe.ts";
import { quantile } from "./median.ts";
import type { Child } from "./processes/child.ts";
import type { Measurement } from "./report/measurement.ts";

const perSecond = 100;

/** What put-wall events and GET /Status met while something else was done. */
export interface FloorAnswers extends FloorResult {
  readonly statusMs: readonly number[];
}

/** Does something while 100 put-wall events and 50 GET /Status per second come. */
export async function whileFloorWorks<Result>(
  { url, floor, probe }: { readonly url: string; readonly floor: Child; readonly probe: Child },
  work: () => Promise<Result>,
): Promise<FloorAnswers & { readonly result: Result }> {
  await floor.run({ start: url, perSecond } satisfies FloorJob);
  await probe.run({ start: url } satisfies ProbeJob);
  const result = await work();
  const statusMs = await probe.run<number[]>("stop" satisfies ProbeJob);
  return { result, statusMs, ...(await floor.run<FloorResult>("stop" satisfies FloorJob)) };
}

export const refusedMeanwhile = (busy: FloorAnswers, what = "Events refused meanwhile"): Measurement => ({
  ...{ what, unit: "events", ours: busy.refused },
  bar: { of: "figure", at: "most", limit: 0 },
});

export const statusAbove = ({ quiet, busy }: Readonly<Record<"quiet" | "busy", FloorAnswers>>): Measurement => ({
  what: "GET /Status meanwhile, above the quiet one (p99)",
  unit: "ms",
  ours: Math.max(0, quantile(busy.statusMs, 0.99) - quantile(quiet.statusMs, 0.99)),
  bar: { of: "figure", at: "most", limit: 50 },
});
