import fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../drivers/database.ts";
import { foldRows, joinRows } from "./row-reader.ts";
import { inPortions, RowStore } from "./row-store.ts";

function stored(rows: readonly Row[], by: readonly string[] | null, fewRows?: number): RowStore {
  const store = new RowStore(by, fewRows === undefined ? {} : { fewRows });
  for (const row of rows) store.add(row);
  return store;
}
async function all<One>(some: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = [];
  for await (const one of some) found.push(one);
  return found;
}
const fold = (rows: readonly Row[], by: readonly string[], fewRows?: number) =>
  all(foldRows(stored(rows, by, fewRows), { lines: "lines" }));

test("the rows of an order need not be adjacent, and orders are sorted by their first row", async () => {
  const rows = [
    { no: "B", line: 1 },
    { no: "A", line: 1 },
    { no: "B", line: 2 },
  ];
  expect(await fold(rows, ["no"])).toEqual([
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

test("a number and a text with the same digits are not the same order", async () => {
  expect(await fold([{ no: 1 }, { no: "1" }, { no: null }], ["no"])).toHaveLength(3);
});

test("no row is lost, duplicated or changed, whether folded by one column or several, few rows or many", async () => {
  const row = fc.record({
    a: fc.constantFrom("x", "y", "", null, 1),
    b: fc.constantFrom("1", "2"),
    c: fc.oneof(fc.string({ unit: "grapheme" }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.jsonValue()),
  });
  const by = fc.constantFrom(["a"], ["a", "b"]);
  await fc.assert(
    fc.asyncProperty(fc.array(row), by, fc.nat({ max: 6 }), async (rows, columns, fewRows) => {
      const plain = rows.map((one) => JSON.parse(JSON.stringify(one)) as Row);
      const records = await fold(plain, columns, fewRows);
      const lines = records.flatMap((record) => record["lines"] as Row[]);
      const texts = (some: readonly Row[]) => some.map((one) => JSON.stringify(one)).toSorted();
      expect(texts(lines)).toEqual(texts(plain));
      const keys = records.map((record) => JSON.stringify(columns.map((name) => record[name])));
      expect(new Set(keys).size).toBe(records.length);
      expect(records).toEqual(await fold(plain, columns));
    }),
  );
});

test("rows of many kilobytes and of one letter are read back unchanged", async () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ no: index, text: "ä\u{1f4e6}".repeat(index * 5_000) }));
  const store = stored(rows, null, 0);
  expect((await all(store.groups())).flat()).toEqual(rows);
  expect(await all(store.groups())).toHaveLength(40);
});

test("other requests run while many rows, long groups and long texts are read", async () => {
  const text = "x".repeat(3_000_000);
  const rows = [
    ...Array.from({ length: 20_000 }, (_, no) => ({ no: no % 7, name: "a name of usual length" })),
    { no: 8, name: text },
  ];
  for (const by of [null, ["no"]]) {
    const store = stored(rows, by);
    const turns = countTurns();
    const groups = await all(store.groups());
    expect(groups.flat().length).toBe(rows.length);
    expect(groups.flat().at(-1)).toEqual({ no: 8, name: text });
    expect(turns()).toBeGreaterThanOrEqual(10);
  }
});

/** Counts the turns of the event loop until it is asked. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return () => {
    isOver = true;
    return turns;
  };
}

test("lines without an order are left out, and an order without lines has none", async () => {
  const orders = stored([{ no: "A" }, { no: "B" }], null);
  const lines = [
    { no: "B", line: 1 },
    { no: "C", line: 1 },
  ];
  expect(await all(joinRows(orders, stored(lines, ["no"]), { key: ["no"], lines: "lines" }))).toEqual([
    { no: "A", lines: [] },
    { no: "B", lines: [{ no: "B", line: 1 }] },
  ]);
});

async function* oneByOne<One>(some: Iterable<One>): AsyncGenerator<One> {
  yield* some;
}

test("records with many lines come in smaller portions, and a very long one alone", async () => {
  const line = { item: "A", text: "x".repeat(80) };
  const long = (number: number): Row => ({ number, lines: Array(9_000).fill(line) });
  const records: Row[] = [
    ...Array.from({ length: 120 }, (_, number) => ({ number, lines: Array(3).fill(line) })),
    ...Array.from({ length: 9 }, (_, number) => ({ number, lines: Array(800).fill(line) })),
    ...[long(1), long(2), { number: 3, text: "x".repeat(2_000_000) }, { number: 4, lines: [] }],
  ];
  const portions = await all(inPortions(oneByOne(records), 50));
  expect(portions.flat()).toEqual(records);
  expect(portions.slice(0, 2).map(({ length }) => length)).toEqual([50, 50]);
  // None is longer than it has to be by one record alone.
  const lengths = portions.map((portion) => ({ count: portion.length, length: JSON.stringify(portion).length }));
  expect(lengths.filter(({ length }) => length > 300_000).map(({ count }) => count)).toEqual([1, 1, 1]);
});
