import type { Metric } from "../../../engine/metrics/exposition.ts";
import type { SpanAttributes } from "../../../kit/tracing/tracing.ts";
import type { SpanRecord } from "../span-record.ts";
import { cumulative, type Encoder, flagsOf, kindNumber, type Scope } from "./encoder.ts";
import { type MetricPoints, pointsOf } from "./metric-points.ts";

/** Encodes OTLP as JSON text. Parts that repeat are built only once. */
export function jsonEncoder({ resource, scope }: Scope): Encoder {
  const head = `"resource":{"attributes":[${attributesText(Object.entries(resource).flat())}]}`;
  const scopeText = `"scope":{"name":${JSON.stringify(scope.name)},"version":${JSON.stringify(scope.version)}}`;
  const fixedTexts = new WeakMap<SpanAttributes, string>();
  const quotedTexts = new Map<string, string>();
  let spans = "";

  const fixedText = (fixed: SpanAttributes): string => {
    const known = fixedTexts.get(fixed);
    if (known !== undefined) return known;
    const text = attributesText(Object.entries(fixed).flat());
    fixedTexts.set(fixed, text);
    return text;
  };
  /** Quotes a name and remembers the result. Names come from the contract and the configuration, so there are few. */
  const quoted = (name: string): string => {
    const known = quotedTexts.get(name);
    if (known !== undefined) return known;
    const text = JSON.stringify(name);
    if (quotedTexts.size < 1_000) quotedTexts.set(name, text);
    return text;
  };
  const spanText = (span: SpanRecord): string => {
    const { own, failure } = span;
    const { name, kind, fixed } = span.options;
    const shared = fixed === undefined ? "" : fixedText(fixed);
    const extra = own === null ? "" : attributesText(own);
    const error = failure === "" ? "" : attributeText("error.type", failure);
    const attributes = [shared, extra, error].filter((text) => text !== "").join(",");
    return (
      `{"traceId":"${span.traceId}","spanId":"${span.spanId}"` +
      (span.parentId === null ? "" : `,"parentSpanId":"${span.parentId.digits}"`) +
      (span.state === "" ? "" : `,"traceState":${JSON.stringify(span.state)}`) +
      `,"flags":${flagsOf(span)},"name":${quoted(name)},"kind":${kindNumber[kind]}` +
      `,"startTimeUnixNano":"${Math.floor(span.startUs)}000","endTimeUnixNano":"${Math.floor(span.endUs)}000"` +
      `,"attributes":[${attributes}]` +
      (span.dropped === 0 ? "" : `,"droppedAttributesCount":${span.dropped}`) +
      (failure === "" ? "}" : ',"status":{"code":2}}')
    );
  };

  return {
    contentType: "application/json",
    addSpan: (span) => {
      spans += (spans === "" ? "" : ",") + spanText(span);
    },
    takeSpans: () => {
      const message = `{"resourceSpans":[{${head},"scopeSpans":[{${scopeText},"spans":[${spans}]}]}]}`;
      spans = "";
      return Buffer.from(message);
    },
    metrics: (metrics, time) => {
      const texts = metrics.flatMap((metric) => metricText(metric, time));
      return Buffer.from(
        `{"resourceMetrics":[{${head},"scopeMetrics":[{${scopeText},"metrics":[${texts.join(",")}]}]}]}`,
      );
    },
    rejectedIn: (body) => {
      const { partialSuccess = {} }: { partialSuccess?: Readonly<Record<string, unknown>> } = JSON.parse(
        body.toString(),
      );
      return Number(partialSuccess["rejectedSpans"] ?? partialSuccess["rejectedDataPoints"] ?? 0);
    },
  };
}

function attributeText(name: string, value: unknown): string {
  const key = `{"key":${JSON.stringify(name)},"value":`;
  if (typeof value === "boolean") return `${key}{"boolValue":${value}}}`;
  if (typeof value !== "number") return `${key}{"stringValue":${JSON.stringify(String(value))}}}`;
  return Number.isSafeInteger(value) ? `${key}{"intValue":"${value}"}}` : `${key}{"doubleValue":${value}}}`;
}

/** The list holds names and values alternately. */
function attributesText(list: readonly unknown[]): string {
  let text = "";
  for (let place = 0; place + 1 < list.length; place += 2) {
    text += (place === 0 ? "" : ",") + attributeText(String(list[place]), list[place + 1]);
  }
  return text;
}

function metricText(metric: Metric, { startMs, nowMs }: { startMs: number; nowMs: number }): string[] {
  const { points, unit } = pointsOf(metric);
  if (points.length === 0) return [];
  const times = `"startTimeUnixNano":"${startMs}000000","timeUnixNano":"${nowMs}000000"`;
  const list = points.map((point) => `{${times},"attributes":[${labelsText(point)}],${valueText(point)}}`).join(",");
  const head = `{"name":${JSON.stringify(metric.name)},"description":${JSON.stringify(metric.help)},"unit":${JSON.stringify(unit)}`;
  const temporality = `"aggregationTemporality":${cumulative}`;
  if (metric.type === "gauge") return [`${head},"gauge":{"dataPoints":[${list}]}}`];
  if (metric.type === "counter") return [`${head},"sum":{${temporality},"isMonotonic":true,"dataPoints":[${list}]}}`];
  return [`${head},"histogram":{${temporality},"dataPoints":[${list}]}}`];
}

const labelsText = ({ labels }: MetricPoints["points"][number]): string =>
  attributesText(Object.entries(labels).flat());

function valueText(point: MetricPoints["points"][number]): string {
  if (!("buckets" in point)) return `"asDouble":${doubleText(point.value)}`;
  const { buckets, bounds, count, sum, exemplars } = point;
  const examples = exemplars.map(
    ({ value, atMs, traceId, spanId }) =>
      `{"timeUnixNano":"${atMs}000000","asDouble":${doubleText(value)},"spanId":"${spanId}","traceId":"${traceId}"}`,
  );
  return (
    `"count":"${count}","sum":${doubleText(sum)},"bucketCounts":[${buckets.map((one) => `"${one}"`).join(",")}]` +
    `,"explicitBounds":[${bounds.map(doubleText).join(",")}]` +
    (examples.length === 0 ? "" : `,"exemplars":[${examples.join(",")}]`)
  );
}

/** Writes a number. JSON has no infinite numbers or NaN; protobuf's JSON mapping writes them as text. */
function doubleText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? '"NaN"' : value > 0 ? '"Infinity"' : '"-Infinity"';
}
