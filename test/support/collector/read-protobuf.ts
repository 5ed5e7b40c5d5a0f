/** A field by its number: its name in JSON, and what it contains. */
type Field = readonly [name: string, kind: Kind, isList?: "list"];
type Kind =
  | "text"
  | "hex"
  | "number"
  | "long"
  | "bool"
  | "fixed64"
  | "fixed32"
  | "double"
  | "fixed64s"
  | "doubles"
  | Schema;
interface Schema {
  readonly [field: number]: Field;
}

const anyValue: Schema = {
  1: ["stringValue", "text"],
  2: ["boolValue", "bool"],
  3: ["intValue", "long"],
  4: ["doubleValue", "double"],
};
const keyValue: Schema = { 1: ["key", "text"], 2: ["value", anyValue] };
const resource: Schema = { 1: ["attributes", keyValue, "list"] };
const scope: Schema = { 1: ["name", "text"], 2: ["version", "text"] };
const span: Schema = {
  ...{ 1: ["traceId", "hex"], 2: ["spanId", "hex"], 3: ["traceState", "text"], 4: ["parentSpanId", "hex"] },
  ...{
    5: ["name", "text"],
    6: ["kind", "number"],
    7: ["startTimeUnixNano", "fixed64"],
    8: ["endTimeUnixNano", "fixed64"],
  },
  ...{ 9: ["attributes", keyValue, "list"], 10: ["droppedAttributesCount", "number"] },
  ...{ 15: ["status", { 2: ["message", "text"], 3: ["code", "number"] }], 16: ["flags", "fixed32"] },
};
const times: Schema = { 2: ["startTimeUnixNano", "fixed64"], 3: ["timeUnixNano", "fixed64"] };
const numberPoint: Schema = { ...times, 4: ["asDouble", "double"], 7: ["attributes", keyValue, "list"] };
const exemplar: Schema = {
  ...{ 2: ["timeUnixNano", "fixed64"], 3: ["asDouble", "double"], 4: ["spanId", "hex"], 5: ["traceId", "hex"] },
};
const histogramPoint: Schema = {
  ...times,
  ...{
    4: ["count", "fixed64"],
    5: ["sum", "double"],
    6: ["bucketCounts", "fixed64s"],
    7: ["explicitBounds", "doubles"],
  },
  ...{ 8: ["exemplars", exemplar, "list"], 9: ["attributes", keyValue, "list"] },
};
const gathered: Schema = { 2: ["aggregationTemporality", "number"], 3: ["isMonotonic", "bool"] };
const metric: Schema = {
  ...{ 1: ["name", "text"], 2: ["description", "text"], 3: ["unit", "text"] },
  5: ["gauge", { 1: ["dataPoints", numberPoint, "list"] }],
  7: ["sum", { 1: ["dataPoints", numberPoint, "list"], ...gathered }],
  9: ["histogram", { 1: ["dataPoints", histogramPoint, "list"], ...gathered }],
};
const scoped = (items: string, item: Schema): Schema => ({ 1: ["scope", scope], 2: [items, item, "list"] });

const messages = {
  "/v1/traces": {
    1: ["resourceSpans", { 1: ["resource", resource], 2: ["scopeSpans", scoped("spans", span), "list"] }, "list"],
  },
  "/v1/metrics": {
    1: [
      "resourceMetrics",
      { 1: ["resource", resource], 2: ["scopeMetrics", scoped("metrics", metric), "list"] },
      "list",
    ],
  },
} as const satisfies Record<string, Schema>;

/**
 * Reads a message into the tree that it would have in JSON. Throws at the first byte that the specification does not
 * allow.
 */
export function readProtobuf(path: string, body: Buffer): unknown {
  const schema: Schema | undefined = { ...messages }[path as keyof typeof messages];
  if (schema === undefined) throw new Error(`there is no message for ${path}`);
  return readMessage(body, schema);
}

function readMessage(bytes: Buffer, schema: Schema): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("a number is cut off");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error("a field is longer than its message");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const field = schema[tag >>> 3];
    if (field === undefined) throw new Error(`the field ${tag >>> 3} is not known`);
    const [name, kind, isList] = field;
    const value = readValue(kind, tag & 7, { varint, take });
    if (isList !== undefined) tree[name] = [...((tree[name] as unknown[] | undefined) ?? []), value];
    else if (name in tree) throw new Error(`${name} is there twice`);
    else tree[name] = value;
  }
  // Lists without elements are not written.
  for (const [name, , isList] of Object.values(schema)) if (isList !== undefined && isNeeded(name)) tree[name] ??= [];
  return tree;
}

const isNeeded = (name: string) => name === "attributes" || name === "dataPoints";

const wireOf = { fixed64: 1, double: 1, fixed32: 5, number: 0, long: 0, bool: 0 } as const;

function readValue(
  kind: Kind,
  wire: number,
  { varint, take }: { varint: () => bigint; take: (length: number) => Buffer },
): unknown {
  const expected = typeof kind === "string" && kind in wireOf ? wireOf[kind as keyof typeof wireOf] : 2;
  if (wire !== expected) throw new Error(`a field has the wire type ${wire} instead of ${expected}`);
  if (kind === "number") return Number(varint());
  if (kind === "bool") return varint() === 1n;
  if (kind === "long") return String(BigInt.asIntN(64, varint()));
  if (kind === "fixed64") return String(take(8).readBigUInt64LE());
  if (kind === "fixed32") return take(4).readUInt32LE();
  if (kind === "double") return take(8).readDoubleLE();
  const content = take(Number(varint()));
  if (kind === "text") return content.toString();
  if (kind === "hex") return content.toString("hex");
  const eights = () =>
    Array.from({ length: content.length / 8 }, (_, place) => content.subarray(8 * place, 8 * place + 8));
  if (kind === "fixed64s") return eights().map((one) => String(one.readBigUInt64LE()));
  if (kind === "doubles") return eights().map((one) => one.readDoubleLE());
  return readMessage(content, kind);
}
