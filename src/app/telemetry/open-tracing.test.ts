import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openTracing } from "./open-tracing.ts";
import { samplerOf } from "./sampler.ts";

test("a span that begins a trace of its own does not belong to the one in progress", () => {
  const limits = { mostAttributes: 10, longestValue: 10 };
  const { sampler } = samplerOf();
  const tracing = openTracing({ sampler, randomBytes, limits, nowUs: () => 0, onEnd: () => {} });
  const first = tracing.start({ name: "poll", kind: "internal", isRoot: true });
  const [child, next] = tracing.within(first, () => [
    tracing.start({ name: "request", kind: "client" }),
    tracing.start({ name: "poll", kind: "internal", isRoot: true }),
  ]);
  expect(child?.traceId).toBe(first.traceId);
  expect(next?.traceId).not.toBe(first.traceId);
});
