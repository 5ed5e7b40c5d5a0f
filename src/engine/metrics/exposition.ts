import type { Counts, Histogram } from "./tally.ts";

/** One figure as Prometheus reads it, with all its series. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Added to the name: `_bucket`, `_sum`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The text format 0.0.4. */
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

/** A line break in a name would begin a line of its own, and spoil all that follows. */
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

/** Buckets count upwards: each holds all that is not larger. */
export function histogramSamples({ bounds, counts, sum }: Histogram): Sample[] {
  let below = 0;
  const buckets = counts.map((count, place) => {
    below += count;
    return { suffix: "_bucket", labels: { le: valueText(bounds[place] ?? Number.POSITIVE_INFINITY) }, value: below };
  });
  return [...buckets, { suffix: "_sum", value: sum() }, { suffix: "_count", value: below }];
}
