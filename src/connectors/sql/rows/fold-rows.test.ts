import fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../drivers/database.ts";
import { foldRows, joinRows } from "./row-reader.ts";
import { RowStore } from "./row-store.ts";

function stored(rows: readonly Row[], by: readonly string[] | null, fewRows?: number): RowStore {
  const store = new RowStore(by, fewRows === undefined ? {} : { fewRows });
  for (const row of rows) store.add(row);
  return store;
}
const fold = (rows: readonly Row[], by: readonly string[], fewRows?: number) => [
  ...foldRows(stored(rows, by, fewRows), { lines: "lines" }),
];

test("the rows of an order need not be adjacent, and orders are sorted by their first row", () => {
  const rows = [
    { no: "B", line: 1 },
    { no: "A", line: 1 },
    { no: "B", line: 2 },
  ];
  expect(fold(rows, ["no"])).toEqual([
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

test("a number and a text with the same digits are not the same order", () => {
  expect(fold([{ no: 1 }, { no: "1" }, { no: null }], ["no"])).toHaveLength(3);
});

test("no row is lost, duplicated or changed, whether folded by one column or several, few rows or many", () => {
  const row = fc.record({
    a: fc.constantFrom("x", "y", "", null, 1),
    b: fc.constantFrom("1", "2"),
    c: fc.oneof(fc.string({ unit: "grapheme" }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.jsonValue()),
  });
  const by = fc.constantFrom(["a"], ["a", "b"]);
  fc.assert(
    fc.property(fc.array(row), by, fc.nat({ max: 6 }), (rows, columns, fewRows) => {
      const plain = rows.map((one) => JSON.parse(JSON.stringify(one)) as Row);
      const records = fold(plain, columns, fewRows);
      const lines = records.flatMap((record) => record["lines"] as Row[]);
      const texts = (some: readonly Row[]) => some.map((one) => JSON.stringify(one)).toSorted();
      expect(texts(lines)).toEqual(texts(plain));
      const keys = records.map((record) => JSON.stringify(columns.map((name) => record[name])));
      expect(new Set(keys).size).toBe(records.length);
      expect(records).toEqual(fold(plain, columns));
    }),
  );
});

test("rows of many kilobytes and of one letter are read back unchanged", () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ no: index, text: "ä\u{1f4e6}".repeat(index * 5_000) }));
  const store = stored(rows, null, 0);
  expect([...store.groups()].flat()).toEqual(rows);
  expect([...store.groups()]).toHaveLength(40);
});

test("lines without an order are left out, and an order without lines has none", () => {
  const orders = stored([{ no: "A" }, { no: "B" }], null);
  const lines = [
    { no: "B", line: 1 },
    { no: "C", line: 1 },
  ];
  expect([...joinRows(orders, stored(lines, ["no"]), { key: ["no"], lines: "lines" })]).toEqual([
    { no: "A", lines: [] },
    { no: "B", lines: [{ no: "B", line: 1 }] },
  ]);
});
