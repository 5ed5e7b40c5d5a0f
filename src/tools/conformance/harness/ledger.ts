import { type OperationId, operationIds, operationRow } from "../../../contract/operations.ts";
import { fileUploadSchema } from "../../../contract/schemas/queries.ts";
import type { Check, Law } from "../conformance-check.ts";
import { sentences } from "../sentences.ts";
import { type Exchange, mayBeInvalid, refusalMode, resultOf, statusOf } from "./recorded-exchange.ts";

export interface Complaint {
  readonly expected: string;
  readonly exchange: Exchange;
}

/** The result of one law over all answers. */
export interface Standing {
  readonly judged: number;
  readonly complaints: readonly Complaint[];
  /** The number of complaints, including those that were not kept. */
  readonly complaintCount: number;
}

export type Capability = "offered" | "not offered" | "declined" | "not tried";

const maxKept = 3;
const maxTimes = 10_000;
const budgetMs = { event: 300, step: 1_500, scan: 3_000, list: 20_000, none: 1_000 } as const;

/** Applies the laws to every answer of the run, without storing the answers. */
export function openLedger({ laws, budgetFactor }: { laws: readonly Law[]; budgetFactor: number }) {
  const standings = new Map<string, { judged: number; complaints: Complaint[]; complaintCount: number }>();
  const times = new Map<OperationId, number[]>();
  const results = new Map<OperationId, Set<string>>();
  const modes = new Map<string, Exchange>();
  const refusing = new Set<OperationId>();
  const slowestCalls = new Map<OperationId, Exchange>();
  let calls = 0;

  const declinedWith = (operation: OperationId): string | null => {
    const [only, ...others] = results.get(operation) ?? [];
    if (only === undefined || others.length > 0 || !meansNotNeeded(operation, only)) return null;
    // An endpoint that refuses invalid input really reads it. Then only OperationFailed counts as declined.
    return only === "OperationFailed" || !refusing.has(operation) ? only : null;
  };

  const judge = (id: string, exchange: Exchange, expected: string | null) => {
    const standing = standings.get(id) ?? { judged: 0, complaints: [], complaintCount: 0 };
    standings.set(id, standing);
    standing.judged += 1;
    if (expected === null) return;
    standing.complaintCount += 1;
    if (standing.complaints.length < maxKept) standing.complaints.push({ expected, exchange });
  };

  return {
    record: (exchange: Exchange, isLarge: boolean): void => {
      calls += 1;
      const { operation, expectation, reply } = exchange;
      if (expectation === "foreign") return;
      for (const law of laws) {
        if (!law.appliesTo(operation)) continue;
        const expected = law.judge(exchange);
        if (expected !== undefined) judge(lawCheckId(operation, law), exchange, expected);
      }
      const mode = expectation === "invalid" ? refusalMode(exchange) : null;
      if (mode !== null) refusing.add(operation);
      if (mode !== null && !modes.has(mode)) modes.set(mode, exchange);
      if (expectation === "invalid") return;
      // A file's content may be refused with 400: the adapter has read it.
      const isRefused = mayBeInvalid(exchange) && statusOf(exchange) === 400;
      const result = isRefused ? "InvalidInput" : resultOf(exchange);
      if (result !== null) results.set(operation, (results.get(operation) ?? new Set()).add(result));
      const taken = times.get(operation) ?? [];
      times.set(operation, taken);
      if (!isLarge && taken.length < maxTimes) taken.push(reply.durationMs);
      const slowest = slowestCalls.get(operation);
      if (!isLarge && reply.durationMs >= (slowest?.reply.durationMs ?? 0)) slowestCalls.set(operation, exchange);
    },
    calls: () => calls,
    standingOf: (id: string): Standing => standings.get(id) ?? { judged: 0, complaints: [], complaintCount: 0 },
    /** The median counts, because a single slow answer may be caused by the network. */
    timeOf: (operation: OperationId) => {
      const taken = times.get(operation) ?? [];
      const budget = budgetMs[operationRow(operation).budget] * budgetFactor;
      const medianMs = median(taken);
      return { calls: taken.length, medianMs, budgetMs: budget, slowest: slowestCalls.get(operation) };
    },
    modes: (): readonly (readonly [mode: string, exchange: Exchange])[] => [...modes],
    capabilityOf: (operation: OperationId): Capability => {
      const seen = results.get(operation);
      if (operation === "getStatus") return "offered";
      if (seen === undefined) return "not tried";
      if (seen.has("AdapterNotDefined")) return "not offered";
      return declinedWith(operation) === null ? "offered" : "declined";
    },
    /** The result that this endpoint has given to every request so far, if it may mean that it is not needed. */
    declinedWith,
  };
}
export type Ledger = ReturnType<typeof openLedger>;

/**
 * "An endpoint the adapter does not need may return an empty or non-success result". Whether this result can mean that.
 */
const meansNotNeeded = (operation: OperationId, result: string): boolean =>
  result === "OperationFailed" ||
  (result === "FileNotSupported" && operationRow(operation).body === fileUploadSchema) ||
  (result === "WorkOrderDoesNotExist" && operation === "getReport");

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const lawCheckId = (operation: OperationId, { id }: Law): string => `${operation}.${id}`;
export const timeCheckId = (operation: OperationId): string => `${operation}.time-budget`;

type Judged = Omit<Check, "run">;

/** The checks that are judged from the requests of all other checks. */
export function ledgerChecks(laws: readonly Law[]): readonly Judged[] {
  return operationIds.flatMap((operation) => [
    ...laws
      .filter((law) => law.appliesTo(operation))
      .map((law): Judged => {
        const { title, hint, basis } = law;
        return { id: lawCheckId(operation, law), group: operation, level: "read-only", title, hint, basis };
      }),
    {
      id: timeCheckId(operation),
      group: operation,
      level: "read-only",
      title: "answers come within the time budget",
      hint: "The median of all ordinary calls counts. Answer from what is at hand, or give up on the external system earlier.",
      basis: sentences.budgets,
    },
  ]);
}
