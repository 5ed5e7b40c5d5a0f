import type { OperationId } from "../../../contract/operations.ts";
import type { FaultName } from "./fault-rates.ts";

/** A difference, with what is needed to investigate it. */
export interface Finding {
  readonly kind: /** The report of the adapter and our books differ. */
    | "report"
    /** The adapter's journal and the floor's records differ. */
    | "journal"
    /** A pushed change did not come with the next confirm step, or it has no receipt. */
    | "change"
    /** At the end the external system, the floor and the receipts do not agree. */
    | "amount"
    /** An order or item that must exist was not found, or a different one was returned. */
    | "look-up"
    /** An invalid answer, or a refusal that stops the floor. */
    | "answer"
    /**
     * Not counted as a finding: one of two identical pieces is missing, and the connection broke between them without
     * our doing. An adapter that was killed cannot know whether its last answer arrived, and events carry no id.
     */
    | "doubt";
  readonly order: string | null;
  readonly item: string | null;
  readonly text: string;
  readonly expected: string;
  readonly found: string;
  /** What was sent about the order, oldest first. */
  readonly calls: readonly string[];
}

/** The counts of one interval. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Everything counted while the floor runs. */
export interface Tally {
  readonly byOperation: ReadonlyMap<OperationId, Histogram>;
  readonly all: Histogram;
  readonly faults: Map<FaultName, number>;
  /** Changes by the external system, and what the platform did with them. */
  readonly changes: Map<string, number>;
  /** Number of sends beyond the first one of a call. */
  readonly resent: () => number;
  /** Number of sends without an answer. */
  readonly unanswered: () => number;
  readonly refusals: Map<string, number>;
  readonly notOffered: Set<OperationId>;
  readonly findings: readonly Finding[];
  /** Differences that no adapter can avoid, each once. */
  readonly doubts: ReadonlyMap<string, Finding>;
  readonly findingCount: () => number;
  readonly stretches: () => readonly Stretch[];
  readonly callsPerSecond: () => number;
  readonly answered: (id: OperationId, ms: number) => void;
  readonly resend: () => void;
  readonly miss: () => void;
  readonly note: (finding: Finding) => void;
  readonly countFault: (name: FaultName) => void;
  readonly countChange: (name: string) => void;
  readonly refused: (id: OperationId, result: string) => void;
}

const mostFindings = 1000;
const mostStretches = 600;

/** Memory is bounded: intervals are joined in pairs when there are too many. */
export function openTally({ now }: { readonly now: () => number }): Tally {
  const byOperation = new Map<OperationId, Histogram>();
  const all = openHistogram();
  const current = openHistogram();
  const faults = new Map<FaultName, number>();
  const changes = new Map<string, number>();
  const refusals = new Map<string, number>();
  const findings: Finding[] = [];
  const doubts = new Map<string, Finding>();
  const beganAt = now();
  let findingCount = 0;
  let resent = 0;
  let unanswered = 0;
  let stretches: Stretch[] = [];
  let stretchMs = 1000;
  let stretchFrom = 0;

  let answeredAt = 0;
  const stretchUntil = (toMs: number): Stretch => ({
    fromMs: stretchFrom,
    toMs,
    calls: current.count(),
    p50Ms: current.percentileMs(0.5),
    p99Ms: current.percentileMs(0.99),
  });

  const turn = () => {
    const at = now() - beganAt;
    answeredAt = at;
    if (at - stretchFrom < stretchMs) return;
    stretches.push(stretchUntil(at));
    current.clear();
    stretchFrom = at;
    if (stretches.length < mostStretches) return;
    stretches = joined(stretches);
    stretchMs *= 2;
  };

  return {
    byOperation,
    all,
    faults,
    changes,
    refusals,
    notOffered: new Set(),
    findings,
    doubts,
    findingCount: () => findingCount,
    resent: () => resent,
    unanswered: () => unanswered,
    // Includes the current interval: a shift of half a second has only that one.
    stretches: () =>
      current.count() === 0 ? stretches : [...stretches, stretchUntil(Math.max(answeredAt, stretchFrom + 1))],
    callsPerSecond: () => {
      const last = stretches.at(-1);
      return last === undefined ? 0 : (last.calls * 1000) / (last.toMs - last.fromMs);
    },
    answered: (id, ms) => {
      let own = byOperation.get(id);
      if (own === undefined) {
        own = openHistogram();
        byOperation.set(id, own);
      }
      turn();
      for (const histogram of [own, all, current]) histogram.add(ms);
    },
    resend: () => resent++,
    miss: () => unanswered++,
    note: (finding) => {
      if (finding.kind === "doubt") {
        // A doubt about several orders is too vague; each order is compared alone at the end.
        if (finding.order !== null) doubts.set(`${finding.order} ${finding.item} ${finding.text}`, finding);
        return;
      }
      findingCount++;
      if (findings.length < mostFindings) findings.push(finding);
    },
    countFault: (name) => void faults.set(name, (faults.get(name) ?? 0) + 1),
    countChange: (name) => void changes.set(name, (changes.get(name) ?? 0) + 1),
    refused: (id, result) => void refusals.set(`${id} ${result}`, (refusals.get(`${id} ${result}`) ?? 0) + 1),
  };
}

const joined = (stretches: readonly Stretch[]): Stretch[] =>
  stretches.flatMap((first, index) => {
    if (index % 2 === 1) return [];
    const second = stretches[index + 1] ?? first;
    return [
      {
        fromMs: first.fromMs,
        toMs: second.toMs,
        calls: first === second ? first.calls : first.calls + second.calls,
        p50Ms: Math.max(first.p50Ms, second.p50Ms),
        p99Ms: Math.max(first.p99Ms, second.p99Ms),
      },
    ];
  });

/** Counts times in buckets that grow by 5 %: bounded memory, and percentiles are at most 5 % off. */
export interface Histogram {
  readonly add: (ms: number) => void;
  readonly count: () => number;
  readonly mostMs: () => number;
  /** The time below which this share of all calls stayed. */
  readonly percentileMs: (share: number) => number;
  /** Every bucket that is not empty: its upper end and its count. */
  readonly buckets: () => readonly { readonly upToMs: number; readonly count: number }[];
  readonly clear: () => void;
}

const leastMs = 0.05;
const growth = Math.log(1.05);
const bucketCount = 320;

export function openHistogram(): Histogram {
  const counts = new Uint32Array(bucketCount);
  let count = 0;
  let most = 0;
  const upTo = (index: number) => leastMs * Math.exp(growth * index);
  return {
    add: (ms) => {
      const index = ms <= leastMs ? 0 : Math.min(bucketCount - 1, Math.ceil(Math.log(ms / leastMs) / growth));
      counts[index] = (counts[index] ?? 0) + 1;
      count++;
      if (ms > most) most = ms;
    },
    count: () => count,
    mostMs: () => most,
    percentileMs: (share) => {
      let left = Math.ceil(count * share);
      for (const [index, own] of counts.entries()) {
        left -= own;
        if (own > 0 && left <= 0) return Math.min(upTo(index), most);
      }
      return most;
    },
    buckets: () =>
      [...counts].flatMap((own, index) => (own === 0 ? [] : [{ upToMs: Math.min(upTo(index), most), count: own }])),
    clear: () => {
      counts.fill(0);
      count = 0;
      most = 0;
    },
  };
}
