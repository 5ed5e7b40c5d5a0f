import type { ReadJob, ReadResult } from "../../clients/reader.ts";
import { median, quantile } from "../../harness/median.ts";
import type { Child } from "../../harness/processes/child.ts";
import { type ServerChild, startProbe, startReader, withChildren } from "../../harness/programs.ts";
import type { Measurement } from "../../harness/report/measurement.ts";
import { sideBySide } from "../../harness/side-by-side.ts";
import { meanwhileMs, readRounds } from "../sizes.ts";

/** Time to read one large answer completely, and the latency of small requests meanwhile. */
export async function largeAnswer(needs: {
  readonly what: string;
  readonly job: ReadJob;
  readonly limit: number;
  readonly adapter: ServerChild;
  readonly bare: Child;
}): Promise<Measurement[]> {
  const { what, job, limit, adapter, bare } = needs;
  const reader = await startReader();
  const probe = await startProbe();
  return await withChildren([adapter, bare, reader, probe], async () => {
    const read = () => reader.run<ReadResult>(job);
    const results = await sideBySide({ rounds: readRounds, ours: read, bare: () => bare.run<ReadResult>() });

    await probe.run({ start: adapter.url });
    const endAt = performance.now() + meanwhileMs;
    while (performance.now() < endAt) await read();
    const smallMs = await probe.run<number[]>("stop");
    return [
      {
        what,
        unit: "ms",
        ours: median(results.ours.map((round) => round.ms)),
        bare: median(results.bare.map((round) => round.ms)),
        bar: { of: "ratio", at: "most", limit },
      },
      {
        what: "Small requests meanwhile, slowest of a hundred (p99)",
        unit: "ms",
        ours: quantile(smallMs, 0.99),
        bar: { of: "figure", at: "most", limit: 30 },
      },
    ];
  });
}
