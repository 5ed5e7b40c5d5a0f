import type { Counts, Exemplar, Histogram } from "./tally.ts";

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
  readonly exemplar?: Exemplar;
}

/** The Prometheus text format 0.0.4. */
export const exposition = (metrics: readonly Metric[]): string => metrics.map(written).join("");

function written({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${valueText(value)}\n`,
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** The OpenMetrics 1.0 format, which Prometheus requests first; it includes exemplars. */
export const openMetricsText = (metrics: readonly Metric[]): string => `${metrics.map(openWritten).join("")}# EOF\n`;

function openWritten({ name, help, type, samples }: Metric): string {
  // In this format the family's name lacks the ending that its samples have.
  const family = type === "counter" ? name.replace(/_total$/, "") : name;
  const ending = type === "counter" ? "_total" : "";
  const lines = samples.map(
    ({ suffix = ending, labels = {}, value, exemplar }) =>
      `${family}${suffix}${labelText(labels)} ${valueText(value)}${exemplar === undefined ? "" : exemplarText(exemplar)}\n`,
  );
  const unit = unitOf(family);
  const unitLine = unit === "" ? "" : `# UNIT ${family} ${unit}\n`;
  return `# HELP ${family} ${escaped(help).replaceAll('"', '\\"')}\n# TYPE ${family} ${type}\n${unitLine}${lines.join("")}`;
}

const unitOf = (family: string): string => /_(seconds|bytes)$/.exec(family)?.[1] ?? "";

const exemplarText = ({ traceId, spanId, value, atMs }: Exemplar): string =>
  ` # {trace_id="${traceId}",span_id="${spanId}"} ${valueText(value)} ${(atMs / 1000).toFixed(3)}`;

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Escapes line breaks, because one in a name would start a new line and break everything after it. */
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

/** The series of a histogram. Its buckets are cumulative: each counts all values up to its bound. */
export function histogramSamples(
  { bounds, counts, sum, exemplars }: Histogram,
  labels: Sample["labels"] = {},
): Sample[] {
  let below = 0;
  const buckets = counts.map((count, place) => {
    below += count;
    const le = valueText(bounds[place] ?? Number.POSITIVE_INFINITY);
    const exemplar = exemplars[place];
    const bucket = { suffix: "_bucket", labels: { ...labels, le }, value: below };
    return exemplar === undefined ? bucket : { ...bucket, exemplar };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum() }, { suffix: "_count", labels, value: below }];
}
