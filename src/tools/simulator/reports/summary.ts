import type { OperationId } from "../../../contract/operations.ts";
import { add } from "../books/books.ts";
import type { Histogram, Stretch } from "../calls/call-tally.ts";
import type { Finding } from "../finding.ts";
import type { SimulationResult } from "../simulation.ts";

interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

/** Everything that a report shows, as plain data; `--json` writes the same. */
export interface Summary {
  readonly url: string;
  readonly seed: number;
  readonly callsDigest: string;
  readonly ok: boolean;
  readonly gaveUp: string | null;
  readonly seconds: number;
  readonly floorHours: number;
  readonly operators: number;
  readonly orders: { readonly worked: number; readonly reported: number };
  readonly journalLines: number | null;
  readonly calls: Latency & { readonly perSecond: number; readonly resent: number; readonly unanswered: number };
  readonly byOperation: readonly (Latency & { readonly operation: OperationId })[];
  readonly buckets: readonly { readonly upToMs: number; readonly count: number }[];
  readonly stretches: readonly Stretch[];
  readonly faults: Readonly<Record<string, number>>;
  /** Changes by the external system, and what the platform did with them. */
  readonly changes: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly notOffered: readonly OperationId[];
  readonly amounts: { readonly placed: number; readonly cancelled: number; readonly containers: number };
  readonly findingCount: number;
  readonly findings: readonly Finding[];
  readonly doubts: readonly Finding[];
}

export function summaryOf(result: SimulationResult): Summary {
  const { view, books } = result;
  const { tally, simulation, desks } = view;
  const totals = new Map<"placed" | "cancelled" | "containers", number>();
  for (const book of books.orders.values()) {
    for (const amount of book.placed.values()) add(totals, "placed", amount);
    for (const amount of book.cancelled.values()) add(totals, "cancelled", amount);
    add(totals, "containers", book.containers.size);
  }
  const seconds = result.durationMs / 1000;
  const { origin, pathname } = new URL(simulation.baseUrl);
  return {
    // Without the user and password that the address may contain.
    url: `${origin}${pathname.replace(/\/$/, "")}`,
    seed: simulation.seed,
    callsDigest: result.callsDigest,
    ok: tally.findingCount() === 0 && result.gaveUp === null,
    gaveUp: result.gaveUp,
    seconds,
    floorHours: Math.max(0, ...desks.map(({ floorMs }) => floorMs)) / 3_600_000,
    operators: desks.length,
    orders: { worked: view.ordersDone, reported: result.reportedOrders },
    journalLines: result.journalLines,
    calls: {
      ...latencyOf(tally.all),
      // Only calls during the shift: pushing before and comparing after do not count as load.
      perSecond:
        view.load === undefined ? tally.all.count() / seconds : (view.load.calls * 1000) / Math.max(1, view.load.ms),
      resent: tally.resent(),
      unanswered: tally.unanswered(),
    },
    byOperation: [...tally.byOperation].map(([operation, histogram]) => ({ operation, ...latencyOf(histogram) })),
    buckets: tally.all.buckets(),
    stretches: tally.stretches(),
    faults: Object.fromEntries(tally.faults),
    changes: Object.fromEntries([...tally.changes].toSorted()),
    refusals: Object.fromEntries(tally.refusals),
    notOffered: [...tally.notOffered],
    amounts: {
      placed: totals.get("placed") ?? 0,
      cancelled: totals.get("cancelled") ?? 0,
      containers: totals.get("containers") ?? 0,
    },
    findingCount: tally.findingCount(),
    findings: tally.findings,
    doubts: [...tally.doubts.values()],
  };
}

const latencyOf = (histogram: Histogram): Latency => ({
  count: histogram.count(),
  p50Ms: histogram.percentileMs(0.5),
  p95Ms: histogram.percentileMs(0.95),
  p99Ms: histogram.percentileMs(0.99),
  mostMs: histogram.mostMs(),
});

/** The result in a few words. Doubtful pieces are missing too, and are mentioned. */
export function verdictOf({ gaveUp, findingCount, doubts }: Summary): string {
  if (gaveUp !== null) return gaveUp;
  if (findingCount > 0) return `${findingCount} ${findingCount === 1 ? "finding" : "findings"}`;
  const places = new Set(doubts.map(({ order, item }) => `${order} ${item}`)).size;
  if (places === 0) return "no differences";
  return `no finding, but pieces are missing in ${places} doubtful ${places === 1 ? "place" : "places"}`;
}
