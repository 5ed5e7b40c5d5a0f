import { randomBytes, randomUUID } from "node:crypto";
import type { Metric } from "../../engine/metrics/exposition.ts";
import type { Log } from "../../kit/log.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import { metricExport, type ReadMetrics } from "./metric-export.ts";
import { openExporter } from "./open-exporter.ts";
import { openTracing } from "./open-tracing.ts";
import type { Encoder } from "./otlp/encoder.ts";
import { jsonEncoder } from "./otlp/json-encoder.ts";
import { protobufEncoder } from "./otlp/protobuf-encoder.ts";
import { spanQueue } from "./span-queue.ts";
import {
  type ExportSettings,
  type MetricSettings,
  type TraceSettings,
  telemetrySettings,
  type Variables,
} from "./telemetry-settings.ts";

/** What is sent to a collector of OpenTelemetry. */
export interface Telemetry {
  /** Absent if traces are not sent. */
  readonly tracing?: Tracing;
  /** Sends these metrics regularly; the returned function ends that. */
  readonly send: (metrics: ReadMetrics) => () => void;
  /** How much was sent and dropped. */
  readonly metrics: ReadMetrics;
  /** Sends what is left, within half a second. */
  readonly close: () => Promise<void>;
}

export interface TelemetryNeeds {
  /** The standard variables of OpenTelemetry. */
  readonly variables: Variables;
  readonly version: string;
  readonly log: Log;
  readonly timers: Timers;
}

/** Together with the other steps, a stop takes at most five seconds. */
const flushMs = 500;

/** Opens what the standard variables of OpenTelemetry ask for; null if they ask for nothing. */
export function openTelemetry({ variables, version, log, timers }: TelemetryNeeds): Telemetry | null {
  const settings = telemetrySettings(variables);
  for (const warning of settings.warnings) log.warn({ warning }, "a variable of OpenTelemetry is not understood");
  if (settings.traces === null && settings.metrics === null) return null;
  const own = {
    "telemetry.sdk.name": "crossdock",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.version": version,
  };
  const resource = { "service.version": version, "service.instance.id": randomUUID(), ...own, ...settings.resource };
  const scope = { resource, scope: { name: "crossdock", version } };
  const traces = settings.traces === null ? null : openTraces(settings.traces);
  const regular = settings.metrics === null ? null : openMetrics(settings.metrics);
  const hosts = { traces: settings.traces?.url.host, metrics: settings.metrics?.url.host };
  log.info({ ...hosts, service: settings.resource["service.name"] }, "telemetry is sent to a collector");
  return {
    ...(traces === null ? {} : { tracing: traces.tracing }),
    send: regular?.add ?? (() => () => {}),
    metrics: () => [countsMetric({ traces: traces?.counts(), metrics: regular?.counts() })],
    close: async () => {
      await Promise.all([traces?.close(), regular?.close(flushMs)]);
    },
  };

  function openTraces({ sampler, mostAttributes, longestValue, ...batches }: TraceSettings) {
    const { exporter, encoder } = openFor("traces", batches);
    const queue = spanQueue({ ...batches, exporter, encoder, timers });
    const limits = { mostAttributes, longestValue };
    const tracing = openTracing({ sampler, randomBytes, limits, nowUs: wallClockUs(), onEnd: queue.add });
    const close = async () => {
      await queue.flush(flushMs);
      exporter.close();
    };
    return { tracing, counts: queue.counts, close };
  }

  function openMetrics(wanted: MetricSettings) {
    const { exporter, encoder } = openFor("metrics", wanted);
    return metricExport({ ...wanted, exporter, encode: encoder.metrics, now: Date.now, timers, log });
  }

  function openFor(signal: "traces" | "metrics", wanted: ExportSettings) {
    const encoder: Encoder = wanted.protocol === "http/json" ? jsonEncoder(scope) : protobufEncoder(scope);
    const { contentType, rejectedIn } = encoder;
    const given = { signal, settings: wanted, contentType, rejectedIn, timers, log };
    return { encoder, exporter: openExporter({ ...given, random: Math.random, now: Date.now }) };
  }
}

const countsMetric = (bySignal: Readonly<Record<string, object | undefined>>): Metric => ({
  name: "crossdock_telemetry_total",
  help: "Spans, and messages with metrics, by outcome: sent, dropped here, refused by the collector.",
  type: "counter",
  samples: Object.entries(bySignal).flatMap(([signal, counts = {}]) =>
    Object.entries(counts).map(([outcome, value]) => ({ labels: { signal, outcome }, value: Number(value) })),
  ),
});

const anchoredMs = 1_000;

/**
 * The time in microseconds since 1970, by the monotonic clock, so that spans of less than a millisecond have a length.
 */
function wallClockUs(): () => number {
  let anchoredAt = performance.now();
  let origin = Date.now() - anchoredAt;
  return () => {
    const passed = performance.now();
    if (passed - anchoredAt > anchoredMs) {
      // The clock of the machine may have been set, so the origin is computed again.
      origin = Date.now() - passed;
      anchoredAt = passed;
    }
    return Math.floor((origin + passed) * 1000);
  };
}
