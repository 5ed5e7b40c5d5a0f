import { type OperationId, operationRow } from "../../../contract/operations.ts";
import type { Finding, Histogram, Stretch } from "../calls/call-tally.ts";
import { add } from "../records/platform-records.ts";
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
  const { view, records } = result;
  const { tally, simulation, operatorStates: operators } = view;
  const totals = new Map<"placed" | "cancelled" | "containers", number>();
  for (const book of records.orders.values()) {
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
    floorHours: Math.max(0, ...operators.map(({ floorMs }) => floorMs)) / 3_600_000,
    operators: operators.length,
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

/** The result in a few words. Doubtful pieces are missing too, so they are mentioned. */
export function verdictOf({ gaveUp, findingCount, doubts }: Summary): string {
  if (gaveUp !== null) return gaveUp;
  if (findingCount > 0) return `${findingCount} ${findingCount === 1 ? "finding" : "findings"}`;
  const places = new Set(doubts.map(({ order, item }) => `${order} ${item}`)).size;
  if (places === 0) return "no differences";
  return `no finding, but pieces are missing in ${places} doubtful ${places === 1 ? "place" : "places"}`;
}

const mostShown = 10;
const mostCalls = 12;
/** A finding about a change needs the whole history before it. */
const mostHistory = 60;

/** The report for a terminal or a log. */
export function textReport(summary: Summary, { isWhole }: { readonly isWhole: boolean }): string {
  const { calls, orders, findings, findingCount, doubts } = summary;
  const lines = [
    `${orders.worked} orders by ${summary.operators} operators in ${summary.seconds.toFixed(1)} s (${summary.floorHours.toFixed(1)} h on the floor), seed ${summary.seed}`,
    `${calls.count} calls, ${Math.round(calls.perSecond)}/s, p50 ${ms(calls.p50Ms)}, p99 ${ms(calls.p99Ms)}; ${calls.resent} sent again`,
    `compared: ${orders.reported} orders with the report, ${summary.journalLines === null ? "no journal" : `${summary.journalLines} lines of the journal`}`,
    ...(isWhole ? details(summary) : []),
    ...findings.slice(0, mostShown).flatMap(findingLines),
    ...(findings.length > mostShown ? [`… and ${findingCount - mostShown} more; --json and --html have them`] : []),
    ...doubts.slice(0, mostShown).map((doubt) => `doubtful: ${shown(doubt)}`),
    `Result: ${verdictOf(summary)}`,
  ];
  return lines.join("\n");
}

function details({ byOperation, faults, changes, refusals, notOffered }: Summary): string[] {
  const counts = (them: Readonly<Record<string, number>>) =>
    Object.entries(them)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  const rows = byOperation.map(({ operation, count, p50Ms, p99Ms }) => {
    const { method, path } = operationRow(operation);
    return `  ${`${method} ${path}`.padEnd(54)} ${String(count).padStart(7)}  p50 ${ms(p50Ms).padStart(9)}  p99 ${ms(p99Ms).padStart(9)}`;
  });
  return [
    ...rows,
    ...(Object.keys(faults).length === 0 ? [] : [`faults played: ${counts(faults)}`]),
    ...(Object.keys(changes).length === 0 ? [] : [`changes played: ${counts(changes)}`]),
    ...(Object.keys(refusals).length === 0 ? [] : [`refused: ${counts(refusals)}`]),
    ...(notOffered.length === 0 ? [] : [`not offered: ${notOffered.join(", ")}`]),
  ];
}

const shown = ({ order, item, text, expected, found }: Finding): string =>
  `${[order, item].filter((name) => name !== null).join(" ")}: ${text}; expected ${expected}, found ${found}`;

const findingLines = (finding: Finding): string[] => [
  `${finding.kind}: ${shown(finding)}`,
  ...finding.calls
    .slice(finding.kind === "amount" || finding.kind === "change" ? -mostHistory : -mostCalls)
    .map((call) => `    ${call}`),
];

const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
