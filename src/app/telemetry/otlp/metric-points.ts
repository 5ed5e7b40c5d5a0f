import type { Metric, Sample } from "../../../engine/metrics/exposition.ts";
import type { Exemplar } from "../../../engine/metrics/tally.ts";

type Labels = Readonly<Record<string, string>>;

export interface NumberPoint {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramPoint {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** The counts of the buckets, one more than bounds; not cumulative. */
  readonly buckets: readonly number[];
  readonly count: number;
  readonly sum: number;
  readonly exemplars: readonly Exemplar[];
}

export interface MetricPoints {
  readonly unit: string;
  readonly points: readonly (NumberPoint | HistogramPoint)[];
}

const units: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_seconds(_total)?$/, "s"],
  [/_bytes(_total)?$/, "By"],
];

/** Groups the samples of a metric as OTLP does: one point per set of labels. The same samples are at `/metrics`. */
export function pointsOf({ name, type, samples }: Metric): MetricPoints {
  const unit = units.find(([ending]) => ending.test(name))?.[1] ?? "1";
  if (type !== "histogram") {
    return { unit, points: samples.map(({ labels = {}, value }) => ({ labels, value })) };
  }
  const series = Map.groupBy(samples, ({ labels = {} }) => JSON.stringify(Object.entries(withoutBound(labels))));
  return { unit, points: [...series.values()].map(histogramPoint) };
}

const withoutBound = ({ le: _le, ...labels }: Labels): Labels => labels;

function histogramPoint(samples: readonly Sample[]): HistogramPoint {
  const buckets = samples.filter(({ suffix }) => suffix === "_bucket");
  const last = (suffix: string) => samples.find((one) => one.suffix === suffix)?.value ?? 0;
  return {
    labels: withoutBound(samples[0]?.labels ?? {}),
    bounds: buckets.map(({ labels }) => Number(labels?.["le"])).filter(Number.isFinite),
    buckets: buckets.map(({ value }, place) => value - (buckets[place - 1]?.value ?? 0)),
    count: last("_count"),
    sum: last("_sum"),
    exemplars: buckets.flatMap(({ exemplar }) => exemplar ?? []),
  };
}
