import { gunzipSync } from "node:zlib";
import { vi } from "vitest";
import { type ReceivedRequest, receiver } from "../receivers/receiver.ts";
import { metricFaults, spanFaults } from "./otlp-rules.ts";
import { readProtobuf } from "./read-protobuf.ts";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status?: { readonly code?: number };
  readonly traceState?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: "sum" | "gauge" | "histogram";
  // A tree of JSON, which the rules have checked.
  readonly points: readonly (Readonly<Record<string, unknown>> & {
    readonly labels: Readonly<Record<string, unknown>>;
  })[];
}

interface CollectorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

// biome-ignore lint/suspicious/noExplicitAny: a tree of JSON whose form the rules check
type Tree = any;

/**
 * An OpenTelemetry collector on the loopback address. It refuses nothing, but records every violation of the OTLP
 * specification.
 */
export async function startCollector(
  answer: (request: ReceivedRequest, position: number) => CollectorAnswer | null = () => null,
) {
  const faults: string[] = [];
  const spans: CollectedSpan[] = [];
  const metrics: CollectedMetric[] = [];
  const server = await receiver((response, request, position) => {
    const wanted = answer(request, position);
    try {
      if (wanted === null || wanted.status === 200) take(request);
    } catch (error) {
      faults.push(String(error));
    }
    const isJson = request.headers["content-type"] === "application/json";
    const { status = 200, headers = {}, body = isJson ? "{}" : "" } = wanted ?? {};
    response.writeHead(status, { "content-type": request.headers["content-type"], ...headers }).end(body);
  });

  function take({ method, path, headers, body }: ReceivedRequest): void {
    if (method !== "POST") faults.push(`the method is ${method}`);
    const type = headers["content-type"];
    const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    const tree: Tree = type === "application/x-protobuf" ? readProtobuf(path, bytes) : JSON.parse(String(bytes));
    if (type !== "application/json" && type !== "application/x-protobuf") faults.push(`the content type is ${type}`);
    if (path === "/v1/traces") takeSpans(tree);
    else if (path === "/v1/metrics") takeMetrics(tree);
    else faults.push(`the path is ${path}`);
  }

  function takeSpans(tree: Tree): void {
    faults.push(...spanFaults(tree));
    for (const { resource, scopeSpans } of tree.resourceSpans)
      for (const scope of scopeSpans)
        for (const span of scope.spans)
          spans.push({ ...span, attributes: read(span.attributes), resource: read(resource.attributes) });
  }

  function takeMetrics(tree: Tree): void {
    faults.push(...metricFaults(tree));
    for (const { scopeMetrics } of tree.resourceMetrics)
      for (const scope of scopeMetrics)
        for (const { name, unit, ...rest } of scope.metrics) {
          const kind = (["sum", "gauge", "histogram"] as const).find((one) => one in rest) ?? "gauge";
          const points = rest[kind].dataPoints.map((point: Tree) => ({ ...point, labels: read(point.attributes) }));
          metrics.push({ name, unit, kind, points });
        }
  }

  const url = new URL(server.url).origin;
  return {
    ...{ url, requests: server.requests, connections: server.connections, faults, spans, metrics },
    /** The variables that make an adapter send to this collector without delay. */
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "20", OTEL_METRIC_EXPORT_INTERVAL: "200" },
    /** Returns the spans as soon as those that the test looks for have arrived. */
    until: (isThere: (spans: readonly CollectedSpan[]) => boolean) =>
      vi.waitFor(
        () => {
          if (!isThere(spans)) throw new Error(`only ${spans.map(({ name }) => name).join(", ")} arrived`);
          return spans;
        },
        { timeout: 120_000 },
      ),
  };
}

const read = (attributes: readonly Tree[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans of one trace as a tree of names. Children are sorted by name. */
export function treeOf(spans: readonly CollectedSpan[], traceId: string): unknown {
  const own = spans.filter((span) => span.traceId === traceId);
  const ids = new Set(own.map(({ spanId }) => spanId));
  const below = (parentId: string | undefined): unknown[] =>
    own
      .filter(({ parentSpanId }) => (parentId === undefined ? !ids.has(parentSpanId ?? "") : parentSpanId === parentId))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, spanId }) => {
        const children = below(spanId);
        return children.length === 0 ? name : { [name]: children };
      });
  return below(undefined);
}
