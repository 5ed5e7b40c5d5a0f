// biome-ignore lint/suspicious/noExplicitAny: a tree of JSON of which nothing is known yet
type Tree = any;

/** A required or optional member, and what it must look like. */
type Rule = (value: Tree) => boolean;
interface Form {
  readonly must: Readonly<Record<string, Rule>>;
  readonly may?: Readonly<Record<string, Rule>>;
}

const text: Rule = (value) => typeof value === "string";
const filled: Rule = (value) => typeof value === "string" && value !== "";
const whole =
  (from: number, to: number): Rule =>
  (value) =>
    Number.isInteger(value) && value >= from && value <= to;
/** The JSON form of protobuf writes 64-bit numbers as texts. */
const longText: Rule = (value) => typeof value === "string" && /^(0|[1-9]\d{0,19})$/.test(value);
const nanos: Rule = (value) => longText(value) && value.length === 19;
/** Here the OTLP specification deviates from protobuf: hexadecimal instead of base64. */
const hex =
  (digits: number): Rule =>
  (value) =>
    typeof value === "string" && new RegExp(`^[0-9a-f]{${digits}}$`).test(value) && !/^0+$/.test(value);
const double: Rule = (value) => typeof value === "number" || ["NaN", "Infinity", "-Infinity"].includes(value);
const list = Array.isArray as Rule;

const anyValue: Rule = (value) => {
  const members = Object.entries(value);
  const [[name, given] = ["", null]] = members;
  const rules: Record<string, Rule> = {
    stringValue: text,
    boolValue: (one) => typeof one === "boolean",
    intValue: (one) => typeof one === "string" && /^-?\d{1,19}$/.test(one),
    doubleValue: double,
  };
  return members.length === 1 && rules[name]?.(given) === true;
};

const attributes: Rule = (value) => {
  if (!Array.isArray(value)) return false;
  const keys = value.map(({ key }) => key);
  const isFormed = value.every(
    (one) => Object.keys(one).sort().join() === "key,value" && filled(one.key) && anyValue(one.value),
  );
  return isFormed && new Set(keys).size === keys.length;
};

const resourceForm: Form = { must: { attributes }, may: { droppedAttributesCount: whole(0, 2 ** 32) } };
const scopeForm: Form = { must: { name: filled }, may: { version: text, attributes } };
const spanForm: Form = {
  must: {
    ...{ traceId: hex(32), spanId: hex(16), name: filled, kind: whole(1, 5) },
    ...{ startTimeUnixNano: nanos, endTimeUnixNano: nanos, attributes },
  },
  may: {
    ...{ parentSpanId: hex(16), traceState: filled, flags: whole(0, 0x3ff), droppedAttributesCount: whole(1, 2 ** 32) },
    status: (value) =>
      Object.keys(value).every((name) => name === "code" || name === "message") && whole(0, 2)(value.code ?? 0),
  },
};
const metricForm: Form = {
  must: { name: (value) => /^[A-Za-z][\w.\-/]{0,254}$/.test(value), description: text, unit: text },
  may: {
    gauge: (one) => list(one.dataPoints),
    sum: (one) => list(one.dataPoints),
    histogram: (one) => list(one.dataPoints),
  },
};
const pointTimes = { startTimeUnixNano: nanos, timeUnixNano: nanos, attributes };
const exemplarForm: Form = { must: { timeUnixNano: nanos, asDouble: double, spanId: hex(16), traceId: hex(32) } };
const numberForm: Form = { must: { ...pointTimes, asDouble: double } };
const histogramForm: Form = {
  must: { ...pointTimes, count: longText, sum: double, bucketCounts: list, explicitBounds: list },
  may: { exemplars: list },
};

function faultsOf(what: string, value: Tree, { must, may = {} }: Form): string[] {
  if (typeof value !== "object" || value === null) return [`${what} is missing`];
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const rule = must[name] ?? may[name];
    if (rule === undefined) return [`${what} has a member ${name}, which the specification does not know`];
    return rule(member) ? [] : [`${what} has ${name} ${JSON.stringify(member)}`];
  });
  const missing = Object.keys(must).filter((name) => !(name in value));
  return [...wrong, ...missing.map((name) => `${what} lacks ${name}`)];
}

function* scopes(tree: Tree, resources: string, scopeList: string, items: string, faults: string[]): Generator<Tree> {
  if (Object.keys(tree).join() !== resources) faults.push(`the message has the members ${Object.keys(tree).join()}`);
  for (const one of tree[resources] ?? []) {
    faults.push(...faultsOf("the resource", one.resource, resourceForm));
    const names = one.resource.attributes.map(({ key }: Tree) => key);
    if (!names.includes("service.name")) faults.push("the resource has no service.name");
    for (const scope of one[scopeList] ?? []) {
      faults.push(...faultsOf("the scope", scope.scope, scopeForm));
      yield* scope[items];
    }
  }
}

/** Returns every violation of the OTLP specification in a message with spans. */
export function spanFaults(tree: Tree): string[] {
  const faults: string[] = [];
  for (const span of scopes(tree, "resourceSpans", "scopeSpans", "spans", faults)) {
    faults.push(...faultsOf(`the span ${span.name}`, span, spanForm));
    if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano))
      faults.push(`${span.name} ends before it begins`);
    if (span.parentSpanId === span.spanId) faults.push(`${span.name} is its own parent`);
  }
  return faults;
}

/** Returns every violation of the OTLP specification in a message with metrics. */
export function metricFaults(tree: Tree): string[] {
  const faults: string[] = [];
  const names = new Set<string>();
  for (const metric of scopes(tree, "resourceMetrics", "scopeMetrics", "metrics", faults)) {
    const { name } = metric;
    faults.push(...faultsOf(`the metric ${name}`, metric, metricForm));
    if (names.has(name)) faults.push(`the metric ${name} is there twice`);
    names.add(name);
    const kinds = ["gauge", "sum", "histogram"].filter((kind) => kind in metric);
    if (kinds.length !== 1) faults.push(`the metric ${name} has the kinds ${kinds.join()}`);
    if ("sum" in metric && metric.sum.isMonotonic !== true) faults.push(`the counter ${name} is not monotonic`);
    if (!("gauge" in metric) && (metric.sum ?? metric.histogram).aggregationTemporality !== 2)
      faults.push(`${name} is not cumulative`);
    for (const point of metric[kinds[0] ?? ""].dataPoints) {
      faults.push(...faultsOf(`a point of ${name}`, point, "histogram" in metric ? histogramForm : numberForm));
      if ("histogram" in metric) faults.push(...histogramFaults(name, point));
    }
  }
  return faults;
}

function histogramFaults(name: string, { bucketCounts, explicitBounds, count, exemplars = [] }: Tree): string[] {
  const sum = bucketCounts.reduce((all: bigint, one: string) => all + BigInt(one), 0n);
  const isRising = explicitBounds.every((bound: number, at: number) => at === 0 || bound > explicitBounds[at - 1]);
  return [
    ...exemplars.flatMap((one: Tree) => faultsOf(`an exemplar of ${name}`, one, exemplarForm)),
    ...(bucketCounts.every(longText) ? [] : [`${name} has counts that are not texts`]),
    ...(bucketCounts.length === explicitBounds.length + 1 ? [] : [`${name} has as many buckets as bounds`]),
    ...(sum === BigInt(count) ? [] : [`the buckets of ${name} do not add up to its count`]),
    ...(isRising ? [] : [`the bounds of ${name} do not rise`]),
  ];
}
