import fc from "fast-check";
import { expect, test } from "vitest";
import { readProtobuf } from "../../../../test/support/collector/read-protobuf.ts";
import { idOf, SpanRecord } from "../span-record.ts";
import type { Encoder } from "./encoder.ts";
import { jsonEncoder } from "./json-encoder.ts";
import { protobufEncoder } from "./protobuf-encoder.ts";

const scope = { resource: { "service.name": "crossdock" }, scope: { name: "crossdock", version: "0.1.0" } };
const limits = { mostAttributes: 50, longestValue: 50_000 };
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom("ä".repeat(60), "x".repeat(100), "漢".repeat(7_000), "x".repeat(20_000), ""),
);
const attributes = fc.array(
  fc.tuple(fc.stringMatching(/^[a-z.]{1,30}$/), fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(12.5))),
  { maxLength: 6 },
);

test("spans of any texts and lengths are the same in both encodings, batch after batch", () => {
  fc.assert(
    fc.property(fc.array(fc.array(attributes, { minLength: 1, maxLength: 12 }), { maxLength: 3 }), (batches) => {
      const encoders = [jsonEncoder(scope), protobufEncoder(scope)];
      for (const batch of batches) {
        const [json, protobuf] = encoders.map((encoder) => encoded(encoder, batch));
        expect(readProtobuf("/v1/traces", protobuf ?? Buffer.alloc(0))).toEqual(JSON.parse(String(json)));
      }
    }),
    { numRuns: 30 },
  );
});

const trace = idOf("0af7651916cd43dd8448eb211c80319c");
const id = idOf("b7ad6b7169203331");

function encoded(encoder: Encoder, batch: readonly (readonly (readonly [string, string | number | boolean])[])[]) {
  let us = 1_794_000_000_000_000;
  const needs = { nowUs: () => us++, onEnd: (span: SpanRecord) => encoder.addSpan(span), limits };
  for (const [nth, own] of batch.entries()) {
    const options = { name: `work ${nth}`, kind: "internal" as const };
    const span = new SpanRecord(needs, options, trace, id, null);
    for (const [name, value] of own) span.set(name, value);
    span.end();
  }
  return encoder.takeSpans();
}
