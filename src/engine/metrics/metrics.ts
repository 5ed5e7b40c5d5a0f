import type { OnAttempt } from "../delivery/outbox.ts";

/** Counts since the start. Every label comes from the contract or the configuration, never from a request. */
export interface Tally {
  readonly answered: (operation: string, result: string) => void;
  readonly attempted: OnAttempt;
  readonly taken: (topic: string) => void;
  readonly committed: (batch: { commands: number; tookMs: number; waitedMs: number | null }) => void;
  readonly answers: Counts;
  readonly attempts: Counts;
  readonly pushes: Counts;
  readonly batchCommands: Histogram;
  readonly commitSeconds: Histogram;
  readonly commitWaitSeconds: Histogram;
}

/** By first and second label. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Histogram {
  readonly bounds: readonly number[];
  /** How many were at most the bound at the same position; the last one counts those above all bounds. */
  readonly counts: readonly number[];
  readonly sum: () => number;
}

/** The limit of names: the journal may hold names that are no longer configured. */
const mostNames = 200;
const others = "(others)";
const secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createTally(): Tally {
  const answers = counter();
  const attempts = counter();
  const pushes = counter();
  const batchCommands = histogram([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
  const commitSeconds = histogram(secondBounds);
  const commitWaitSeconds = histogram(secondBounds);
  return {
    answered: answers.add,
    attempted: attempts.add,
    taken: (topic) => pushes.add(topic, ""),
    committed: ({ commands, tookMs, waitedMs }) => {
      batchCommands.add(commands);
      commitSeconds.add(tookMs / 1000);
      if (waitedMs !== null) commitWaitSeconds.add(waitedMs / 1000);
    },
    answers: answers.counts,
    attempts: attempts.counts,
    pushes: pushes.counts,
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

function histogram(bounds: readonly number[]): Histogram & { readonly add: (value: number) => void } {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    bounds,
    counts,
    sum: () => sum,
    add: (value) => {
      let place = 0;
      while (place < bounds.length && value > (bounds[place] ?? 0)) place++;
      counts[place] = (counts[place] ?? 0) + 1;
      sum += value;
    },
  };
}

/** One metric in the Prometheus model, with all its series. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** The suffix of the name: `_bucket`, `_sum`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The Prometheus text format 0.0.4. */
export const exposition = (metrics: readonly Metric[]): string => metrics.map(written).join("");

function written({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${valueText(value)}\n`,
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A line break in a name would start a new line and break everything after it. */
const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const valueText = (value: number) =>
  Number.isNaN(value) ? "NaN" : Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";

/** The series of counts with two labels. */
export const countSamples = (counts: Counts, [first, second]: readonly [string, string]): Sample[] =>
  [...counts].flatMap(([one, inner]) =>
    [...inner].map(([other, value]) => ({
      labels: { [first]: one, ...(second === "" ? {} : { [second]: other }) },
      value,
    })),
  );

/** Buckets are cumulative: each counts all values up to its bound. */
export function histogramSamples({ bounds, counts, sum }: Histogram): Sample[] {
  let below = 0;
  const buckets = counts.map((count, place) => {
    below += count;
    return { suffix: "_bucket", labels: { le: valueText(bounds[place] ?? Number.POSITIVE_INFINITY) }, value: below };
  });
  return [...buckets, { suffix: "_sum", value: sum() }, { suffix: "_count", value: below }];
}
