import { readFileSync } from "node:fs";
import type { TlsFiles } from "../../http-client/network/connection-pool.ts";
import { type Sampler, samplerOf } from "./sampler.ts";

export type Variables = Readonly<Record<string, string | undefined>>;
export type Protocol = "http/json" | "http/protobuf";

/** Where one kind of data is sent. */
export interface ExportSettings {
  readonly url: URL;
  /** The headers may hold a key, so they are never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  readonly protocol: Protocol;
  readonly tls: TlsFiles;
}

export interface TraceSettings extends ExportSettings {
  readonly sampler: Sampler;
  /** Limit of finished spans that wait to be sent; further ones are dropped. */
  readonly queueSize: number;
  readonly batchSize: number;
  /** How long a finished span waits for others, at most. */
  readonly delayMs: number;
  readonly mostAttributes: number;
  readonly longestValue: number;
}

export interface MetricSettings extends ExportSettings {
  readonly intervalMs: number;
}

export interface TelemetrySettings {
  readonly resource: Readonly<Record<string, string>>;
  /** Null: nothing is sent. */
  readonly traces: TraceSettings | null;
  readonly metrics: MetricSettings | null;
  /**
   * Texts about variables that were not understood, and what happens instead. They never show a value that may be
   * secret.
   */
  readonly warnings: readonly string[];
}

type Signal = "TRACES" | "METRICS";
const pathOf = { TRACES: "v1/traces", METRICS: "v1/metrics" } as const;
const defaultEndpoint = "http://localhost:4318";

/**
 * Reads the standard variables of OpenTelemetry. A variable that is not understood is ignored with a warning; it never
 * stops the adapter.
 */
export function telemetrySettings(env: Variables): TelemetrySettings {
  const warnings: string[] = [];
  const variable = (name: string) => env[name]?.trim() || undefined;
  const number = (name: string, usual: number, least: number): number => {
    const text = variable(name);
    if (text === undefined) return usual;
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    warnings.push(`${name} must be a whole number from ${least}; ${usual} is used`);
    return usual;
  };
  /** Returns the variable of this signal, otherwise the one for all signals. */
  const named = (signal: Signal, name: string): readonly [name: string, value: string | undefined] => {
    const own = `OTEL_EXPORTER_OTLP_${signal}_${name}`;
    return variable(own) === undefined
      ? [`OTEL_EXPORTER_OTLP_${name}`, variable(`OTEL_EXPORTER_OTLP_${name}`)]
      : [own, variable(own)];
  };
  const pairs = (name: string, text: string | undefined): Record<string, string> => {
    try {
      return readPairs(text ?? "");
    } catch {
      warnings.push(`${name} is not a list like key1=value1,key2=value2; it is not used`);
      return {};
    }
  };

  const endpoint = (signal: Signal): URL | null => {
    const own = variable(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
    const base = variable("OTEL_EXPORTER_OTLP_ENDPOINT") ?? defaultEndpoint;
    const [name, text] =
      own === undefined
        ? ["OTEL_EXPORTER_OTLP_ENDPOINT", `${base.replace(/\/+$/, "")}/${pathOf[signal]}`]
        : [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, own];
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url !== null && /^https?:$/.test(url.protocol)) return url;
    warnings.push(`${name} is not an address like ${defaultEndpoint}; ${signal.toLowerCase()} are not sent`);
    return null;
  };

  const file = (signal: Signal, name: string): string | undefined => {
    const [variableName, path] = named(signal, name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`the file of ${variableName} cannot be read: ${reason}`);
      return undefined;
    }
  };

  const protocolOf = (signal: Signal): Protocol | null => {
    const [name, given = "http/protobuf"] = named(signal, "PROTOCOL");
    if (given === "http/json" || given === "http/protobuf") return given;
    const reason = given === "grpc" ? "gRPC is not offered" : `${JSON.stringify(given)} is not known`;
    warnings.push(
      `${name}: ${reason}; ${signal.toLowerCase()} are not sent. Set http/protobuf or http/json, and the port of the collector for HTTP (usually 4318)`,
    );
    return null;
  };

  const exportOf = (signal: Signal): ExportSettings | null => {
    const exporter = variable(`OTEL_${signal}_EXPORTER`);
    const isGiven = ["OTEL_EXPORTER_OTLP_ENDPOINT", `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`].some(
      (name) => variable(name) !== undefined,
    );
    if (exporter === "none" || (exporter === undefined && !isGiven)) return null;
    if (exporter !== undefined && exporter !== "otlp") {
      // The adapter always serves /metrics, so this value asks for nothing more.
      if (signal === "METRICS" && exporter === "prometheus") return null;
      warnings.push(`OTEL_${signal}_EXPORTER must be otlp or none; ${signal.toLowerCase()} are not sent`);
      return null;
    }
    const protocol = protocolOf(signal);
    const url = endpoint(signal);
    if (protocol === null || url === null) return null;
    const [headersName, headers] = named(signal, "HEADERS");
    const [compressionName, compression = "none"] = named(signal, "COMPRESSION");
    if (compression !== "gzip" && compression !== "none")
      warnings.push(`${compressionName} must be gzip or none; none is used`);
    const tls = {
      ca: file(signal, "CERTIFICATE"),
      cert: file(signal, "CLIENT_CERTIFICATE"),
      key: file(signal, "CLIENT_KEY"),
    };
    const [timeoutName] = named(signal, "TIMEOUT");
    const timeoutMs = number(timeoutName, 10_000, 1);
    return {
      url,
      headers: pairs(headersName, headers),
      timeoutMs,
      isCompressed: compression === "gzip",
      protocol,
      tls,
    };
  };

  const resource = (): Record<string, string> => {
    const given = pairs("OTEL_RESOURCE_ATTRIBUTES", variable("OTEL_RESOURCE_ATTRIBUTES"));
    const name = variable("OTEL_SERVICE_NAME") ?? given["service.name"] ?? "crossdock";
    return { ...given, "service.name": name };
  };

  if (variable("OTEL_SDK_DISABLED")?.toLowerCase() === "true")
    return { resource: {}, traces: null, metrics: null, warnings: [] };
  const traces = exportOf("TRACES");
  const metrics = exportOf("METRICS");
  const queueSize = number("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, 1);
  return {
    resource: resource(),
    traces: traces === null ? null : { ...traces, ...batches() },
    metrics: metrics === null ? null : { ...metrics, intervalMs: number("OTEL_METRIC_EXPORT_INTERVAL", 60_000, 100) },
    warnings,
  };

  function batches(): Omit<TraceSettings, keyof ExportSettings> {
    const sampler = samplerOf(variable("OTEL_TRACES_SAMPLER"), variable("OTEL_TRACES_SAMPLER_ARG"));
    warnings.push(...sampler.warnings);
    const longest = number("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", 1_024, 0);
    const most = number("OTEL_ATTRIBUTE_COUNT_LIMIT", 128, 0);
    return {
      sampler: sampler.sampler,
      queueSize,
      batchSize: Math.min(queueSize, number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1)),
      delayMs: number("OTEL_BSP_SCHEDULE_DELAY", 5_000, 0),
      mostAttributes: number("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", most, 0),
      longestValue: number("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", longest, 0),
    };
  }
}

/** Reads `key1=value1,key2=value2` with percent-encoded values; throws if the text has another form. */
function readPairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const equals = part.indexOf("=");
    const key = part.slice(0, equals).trim();
    if (equals < 0 || key === "") throw new Error("no key");
    pairs[key] = decodeURIComponent(part.slice(equals + 1).trim());
  }
  return pairs;
}
