import fc from "fast-check";
import { expect, test } from "vitest";
import { readTraceHeaders, readTraceText, traceHeadersOf, traceTextOf } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const parent = `00-${traceId}-${spanId}-01`;

test("the parent of a trace is read with its flag", () => {
  expect(readTraceHeaders(parent)).toEqual({ traceId, spanId, isSampled: true, state: "" });
  expect(readTraceHeaders(`00-${traceId}-${spanId}-00`)?.isSampled).toBe(false);
  expect(readTraceHeaders(`00-${traceId}-${spanId}-03`)?.isSampled).toBe(true);
});

test("a later version is read as far as this one knows it", () => {
  expect(readTraceHeaders(`01-${traceId}-${spanId}-01-more`)).toMatchObject({ traceId, spanId, isSampled: true });
});

test.each([
  undefined,
  "",
  "nonsense",
  `00-${traceId}-${spanId}`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `${parent}, ${parent}`,
  `01-${traceId}-${spanId}-01-${"x".repeat(1_000)}`,
  ["a", "b"],
])("an invalid parent %j begins a new trace", (given) => {
  expect(readTraceHeaders(given)).toBeNull();
});

test("the state of other systems is passed on, and dropped as a whole if one member is invalid", () => {
  expect(readTraceHeaders(parent, "congo=t61rcWkgMzE, rojo@eu=00f067aa0ba902b7")?.state).toBe(
    "congo=t61rcWkgMzE,rojo@eu=00f067aa0ba902b7",
  );
  for (const invalid of ["Congo=1", "a=1,a=2", "a=é", "a", "a=1\r\nx: y", `a=${"x".repeat(300)}`]) {
    expect(readTraceHeaders(parent, invalid)?.state).toBe("");
  }
  expect(readTraceHeaders(parent, Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(","))?.state).toBe("");
});

test("a long state loses its last members, so that what an entry stores is bounded", () => {
  const members = Array.from({ length: 30 }, (_, n) => `key${n}=${"x".repeat(40)}`);
  const state = readTraceHeaders(parent, members.join(","))?.state ?? "";
  expect(state.length).toBeLessThanOrEqual(512);
  expect(members.join(",").startsWith(state)).toBe(true);
  expect(state).toContain("key9=");
});

test("what is stored with an entry is read again unchanged, whatever the headers were", () => {
  const member = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/), fc.stringMatching(/^[!-+\--<>-~]{1,20}$/));
  const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  fc.assert(
    fc.property(hex(32), hex(16), fc.boolean(), fc.array(member, { maxLength: 40 }), (trace, span, isSampled, list) => {
      const state = list.map(([key, value]) => `${key}=${value}`).join(",");
      const read = readTraceHeaders(`00-${trace}-${span}-${isSampled ? "01" : "00"}`, state);
      if (read === null) return;
      expect(readTraceText(traceTextOf(read))).toEqual(read);
      const { traceparent, tracestate } = traceHeadersOf(read);
      expect(readTraceHeaders(traceparent, tracestate)).toEqual(read);
    }),
  );
});

test("text that nobody wrote here is no trace", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readTraceText(text)).toBeNull();
    }),
  );
  expect(readTraceText(null)).toBeNull();
});
