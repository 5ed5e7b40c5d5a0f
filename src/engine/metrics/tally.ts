import type { Clock } from "../../kit/time/clock.ts";
import type { TraceContext } from "../../kit/tracing/trace-context.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import type { OnAttempt } from "../delivery/outbox.ts";

/** Counts since the start. Every label comes from the contract or the configuration, never from a request. */
export interface Tally {
  /** The span is the one of the request, if it is traced. */
  readonly answered: (operation: string, result: string, ms: number, span?: TraceContext) => void;
  readonly attempted: OnAttempt;
  /** How long a target was called. */
  readonly called: (target: string, ms: number) => void;
  readonly pushed: (topic: string) => void;
  readonly committed: (batch: { commands: number; tookMs: number; waitedMs: number | null }) => void;
  readonly answers: Counts;
  readonly attempts: Counts;
  readonly pushes: Counts;
  /** By operation. */
  readonly answerSeconds: ReadonlyMap<string, Histogram>;
  /** By target. */
  readonly callSeconds: ReadonlyMap<string, Histogram>;
  readonly batchCommands: Histogram;
  readonly commitSeconds: Histogram;
  readonly commitWaitSeconds: Histogram;
}

/** By first and second label. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Histogram {
  readonly bounds: readonly number[];
  /** How many values were at most the bound at the same position. The last count is of those above all bounds. */
  readonly counts: readonly number[];
  readonly sum: () => number;
  /** The latest value of each bucket that belongs to a recorded trace, at the position of the bucket. */
  readonly exemplars: readonly (Exemplar | undefined)[];
}

/** A value and the trace that shows how it came about. */
export interface Exemplar {
  readonly traceId: string;
  readonly spanId: string;
  readonly value: number;
  readonly atMs: number;
}

/** Returns a value with the trace of the span, or of the work in progress, if that is recorded; undefined otherwise. */
export type ExemplarSource = (value: number, span?: TraceContext) => Exemplar | undefined;

/** Returns the source of exemplars; undefined if nothing is traced. */
export const exemplarsOf = (tracing: Pick<Tracing, "current"> | undefined, clock: Clock): ExemplarSource | undefined =>
  tracing &&
  ((value, span = tracing.current()) =>
    span?.isSampled ? { traceId: span.traceId, spanId: span.spanId, value, atMs: clock.now() } : undefined);

/** Limit of names, because the journal may hold names that are no longer configured. */
const mostNames = 200;
const others = "(others)";
const secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createTally(exemplarOf?: ExemplarSource): Tally {
  const answers = counter();
  const attempts = counter();
  const pushes = counter();
  const answerSeconds = histograms(secondBounds, exemplarOf);
  const callSeconds = histograms([...secondBounds, 5, 10, 30], exemplarOf);
  const batchCommands = histogram([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
  const commitSeconds = histogram(secondBounds);
  const commitWaitSeconds = histogram(secondBounds);
  return {
    answered: (operation, result, ms, span) => {
      answers.add(operation, result);
      answerSeconds.add(operation, ms / 1000, span);
    },
    attempted: attempts.add,
    called: (target, ms) => callSeconds.add(target, ms / 1000),
    pushed: (topic) => pushes.add(topic, ""),
    committed: ({ commands, tookMs, waitedMs }) => {
      batchCommands.add(commands);
      commitSeconds.add(tookMs / 1000);
      if (waitedMs !== null) commitWaitSeconds.add(waitedMs / 1000);
    },
    answers: answers.counts,
    attempts: attempts.counts,
    pushes: pushes.counts,
    answerSeconds: answerSeconds.byName,
    callSeconds: callSeconds.byName,
    batchCommands,
    commitSeconds,
    commitWaitSeconds,
  };
}

function counter() {
  const counts = new Map<string, Map<string, number>>();
  const add = (first: string, second: string) => {
    const name = counts.size < mostNames || counts.has(first) ? first : others;
    let inner = counts.get(name);
    if (inner === undefined) {
      inner = new Map();
      counts.set(name, inner);
    }
    inner.set(second, (inner.get(second) ?? 0) + 1);
  };
  return { counts, add };
}

type GrowingHistogram = Histogram & { readonly add: (value: number, span?: TraceContext) => void };

/** One histogram per name. */
function histograms(bounds: readonly number[], exemplarOf: ExemplarSource | undefined) {
  const byName = new Map<string, GrowingHistogram>();
  const add = (given: string, value: number, span?: TraceContext) => {
    const name = byName.size < mostNames || byName.has(given) ? given : others;
    let one = byName.get(name);
    if (one === undefined) {
      one = histogram(bounds, exemplarOf);
      byName.set(name, one);
    }
    one.add(value, span);
  };
  return { byName, add };
}

function histogram(bounds: readonly number[], exemplarOf?: ExemplarSource): GrowingHistogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  const exemplars = new Array<Exemplar | undefined>(bounds.length + 1).fill(undefined);
  let sum = 0;
  return {
    bounds,
    counts,
    exemplars,
    sum: () => sum,
    add: (value, span) => {
      let place = 0;
      while (place < bounds.length && value > (bounds[place] ?? 0)) place++;
      counts[place] = (counts[place] ?? 0) + 1;
      sum += value;
      if (exemplarOf === undefined) return;
      const exemplar = exemplarOf(value, span);
      if (exemplar !== undefined) exemplars[place] = exemplar;
    },
  };
}
