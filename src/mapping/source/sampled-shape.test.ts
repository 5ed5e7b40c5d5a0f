import { expect, test } from "vitest";
import { mappingProblems } from "../compile-mapping.ts";
import { sampledShape } from "./sampled-shape.ts";

const missing = (map: object, ...records: readonly unknown[]) =>
  mappingProblems(map, { source: sampledShape(records), path: [] }).map(({ text }) => text);

test("a name that one of the records has is right, also with null or an empty text", () => {
  expect(missing({ a: "x", b: "y", c: "z" }, { x: 1 }, { y: null }, { z: "" })).toEqual([]);
  expect(missing({ a: "X" }, { x: 1 }, { x: 2 })).toEqual(["X: no record has X here; did you mean x?"]);
});

test("nothing is said about what is null or empty in every record", () => {
  expect(
    missing({ a: "customer.name", b: { each: "lines", map: { c: "qty" } } }, { customer: null, lines: [] }),
  ).toEqual([]);
});

test("no records say nothing", () => {
  expect(missing({ a: "x" })).toEqual([]);
});

test("a list of one element has the members of the element, a longer list has not", () => {
  expect(missing({ a: "lines.qty", b: "lines[0].qty" }, { lines: [{ qty: 1 }] })).toEqual([]);
  expect(missing({ a: "lines.qty" }, { lines: { qty: 1 } }, { lines: [{ qty: 1 }, { qty: 2 }] })).toEqual([]);
  expect(missing({ a: "lines.qty" }, { lines: [{ qty: 1 }, { qty: 2 }] })).toEqual([
    expect.stringContaining("lines: is a list: use each"),
  ]);
});

test("a name with dots is found as it is and in quotes", () => {
  const record = { "@odata.etag": "1", Art: { Nr: 1 }, "a.b": 2 };
  expect(missing({ a: "@odata.etag", b: '["@odata.etag"]', c: "Art.Nr", d: "a.b" }, record)).toEqual([]);
  expect(missing({ a: "@odata.etga", b: '["a.c"]' }, record)).toHaveLength(2);
});

test("of several names one is enough, and a member that a condition allows to be missing may be missing", () => {
  expect(missing({ a: { from: ["x", "y"] } }, { y: 1 })).toEqual([]);
  expect(missing({ a: { from: ["x", "z"] } }, { y: 1 })).toHaveLength(2);
  const lines = (where: object) => ({ a: { each: "lines", where, map: { b: "qty" } } });
  expect(missing(lines({ deleted: { filled: false } }), { lines: [{ qty: 1 }] })).toEqual([]);
  expect(missing(lines({ kind: "item" }), { lines: [{ qty: 1 }] })).toEqual([
    "kind: no record has kind here; there are qty",
  ]);
});

test("expressions read through lists, and wildcards read any name", () => {
  const record = { lines: [{ qty: 1 }, { qty: 2 }], any: { a: { deep: 1 } } };
  expect(missing({ a: "= $sum(lines.qty)", b: "= any.*.deep", c: "= **.deep" }, record)).toEqual([]);
  expect(missing({ a: "= $sum(lines.qyt)", b: '= $lookup($, "nowhere")' }, record)).toEqual([
    expect.stringContaining("no record has qyt here; did you mean qty?"),
  ]);
});
