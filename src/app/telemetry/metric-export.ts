import type { Metric } from "../../engine/metrics/exposition.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Exporter } from "./open-exporter.ts";
import type { Encoder } from "./otlp/encoder.ts";

export type ReadMetrics = () => readonly Metric[];

export interface MetricExport {
  /** Sends these metrics regularly from now on; the returned function ends that. */
  readonly add: (read: ReadMetrics) => () => void;
  /** The number of messages since the start. */
  readonly counts: () => { readonly sent: number; readonly dropped: number };
  /** Sends the last values, as far as the time allows. */
  readonly close: (withinMs: number) => Promise<void>;
}

export interface MetricExportNeeds {
  readonly intervalMs: number;
  readonly exporter: Exporter;
  readonly encode: Encoder["metrics"];
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Log;
}

/** Sends the metrics of `/metrics` at an interval. */
export function metricExport({ intervalMs, exporter, encode, now, timers, log }: MetricExportNeeds): MetricExport {
  const startMs = now();
  const readers = new Set<ReadMetrics>();
  const counts = { sent: 0, dropped: 0 };
  let last: readonly Metric[] = [];
  let sending: Promise<void> | null = null;
  let cancel = timers.after(intervalMs, turn);

  const send = async (metrics: readonly Metric[]) => {
    if (metrics.length === 0) return;
    const outcome = await exporter.send(encode(metrics, { startMs, nowMs: now() }));
    counts["failed" in outcome ? "dropped" : "sent"]++;
  };
  const read = () => [...readers].flatMap((one) => one());

  function turn(): void {
    cancel = timers.after(intervalMs, turn);
    // Skipped while a message is being sent: the next turn has newer values, and a slow collector does not need the old
    // ones.
    sending ??= Promise.resolve()
      .then(() => send(read()))
      .catch((error: unknown) => log.error({ err: error }, "the metrics could not be read for the collector"))
      .finally(() => {
        sending = null;
      });
  }

  return {
    counts: () => counts,
    add: (reader) => {
      readers.add(reader);
      return () => {
        if (!readers.delete(reader)) return;
        // Read now, because what these metrics count is closed soon. The last values matter after a stop.
        last = reader();
      };
    },
    close: async (withinMs) => {
      cancel();
      exporter.stop();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancelLate = timers.after(withinMs, resolve);
      const rest = async () => {
        await sending;
        await send(readers.size > 0 ? read() : last);
      };
      await Promise.race([rest(), late]);
      cancelLate();
      exporter.close();
    },
  };
}
