import { exposition, type Metric, openMetricsText, type Sample } from "../engine/metrics/exposition.ts";
import { type MetricSources, openProcessMetrics, ownMetrics, roleMetrics } from "../engine/metrics/metrics.ts";
import type { MetricsFormat } from "../server/ops/health-routes.ts";
import type { Telemetry } from "./telemetry/open-telemetry.ts";

export interface MetricsNeeds extends MetricSources {
  readonly version: string;
  /** Labels of every sample; absent: none. */
  readonly labels?: Sample["labels"] | undefined;
  /** Metrics about what is sent to a collector; absent: nothing is sent. */
  readonly telemetry?: (() => readonly Metric[]) | undefined;
}

export interface OpenMetrics {
  readonly text: (format?: MetricsFormat) => string;
  /** The metrics of the adapter, without those of the process. */
  readonly own: () => readonly Metric[];
  /** Sends the same metrics to a collector; the returned function ends that. */
  readonly sendBy: (telemetry: Pick<Telemetry, "send">) => () => void;
  readonly close: () => void;
}

/** Most metrics are read when they are requested; only what cannot be read afterwards is counted all the time. */
export function openMetrics(needs: MetricsNeeds): OpenMetrics {
  const whole = openProcessMetrics(needs);
  const own = () => [...ownMetrics(needs), ...roleMetrics(null)].map(labelled);
  const all = (process: ReturnType<typeof openProcessMetrics>) => [
    ...own(),
    ...process.metrics(),
    ...(needs.telemetry?.() ?? []),
  ];
  return {
    own,
    text: (format = "text") => metricsText(all(whole), format),
    sendBy: ({ send }) => {
      // Each reader has its own measurement of the event loop, because a measurement restarts when it is read.
      const process = openProcessMetrics(needs);
      const end = send(() => all(process));
      return () => {
        end();
        process.close();
      };
    },
    close: whole.close,
  };

  function labelled(metric: Metric): Metric {
    const { labels } = needs;
    if (labels === undefined) return metric;
    return { ...metric, samples: metric.samples.map((one) => ({ ...one, labels: { ...labels, ...one.labels } })) };
  }
}

export const metricsText = (metrics: readonly Metric[], format: MetricsFormat): string =>
  format === "openmetrics" ? openMetricsText(metrics) : exposition(metrics);
