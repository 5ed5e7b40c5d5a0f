import fc from "fast-check";
import { expect, test } from "vitest";
import { foldRows, joinRows } from "./fold-rows.ts";

test("rows of one order need not follow each other, and orders keep the place of their first row", () => {
  const rows = [
    { no: "B", line: 1 },
    { no: "A", line: 1 },
    { no: "B", line: 2 },
  ];
  expect(foldRows(rows, { by: ["no"], lines: "lines" })).toEqual([
    {
      no: "B",
      line: 1,
      lines: [
        { no: "B", line: 1 },
        { no: "B", line: 2 },
      ],
    },
    { no: "A", line: 1, lines: [{ no: "A", line: 1 }] },
  ]);
});

test("a number and a text of the same letters are not the same order", () => {
  expect(foldRows([{ no: 1 }, { no: "1" }, { no: null }], { by: ["no"], lines: "lines" })).toHaveLength(3);
});

test("no row gets lost and none is counted twice, by one column or by several", () => {
  const row = fc.record({ a: fc.constantFrom("x", "y", "", null, 1), b: fc.constantFrom("1", "2") });
  fc.assert(
    fc.property(fc.array(row), fc.constantFrom(["a"], ["a", "b"]), (rows, by) => {
      const records = foldRows(rows, { by, lines: "lines" });
      const lines = records.flatMap((record) => record["lines"] as typeof rows);
      expect(lines.length).toBe(rows.length);
      expect(new Set(lines)).toEqual(new Set(rows));
      expect(new Set(records.map((record) => JSON.stringify(by.map((name) => record[name])))).size).toBe(
        records.length,
      );
    }),
  );
});

test("lines of no order are left out, and an order without lines has none", () => {
  const join = { ordersKey: ["no"], linesKey: ["no"], lines: "lines" };
  expect(
    joinRows(
      [{ no: "A" }, { no: "B" }],
      [
        { no: "B", line: 1 },
        { no: "C", line: 1 },
      ],
      join,
    ),
  ).toEqual([
    { no: "A", lines: [] },
    { no: "B", lines: [{ no: "B", line: 1 }] },
  ]);
});
