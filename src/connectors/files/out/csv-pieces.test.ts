import { expect, test } from "vitest";
import { columnsOf, csvPieces, flattened } from "./csv-pieces.ts";

async function written(values: readonly object[]): Promise<string> {
  const rows = await flattened(values);
  let text = "";
  const shape = { columns: columnsOf(rows), delimiter: ";", header: true };
  for await (const piece of csvPieces(rows, shape)) text += piece;
  return text;
}

test("inner objects become dotted columns, lists stay JSON, and every value can be read back", async () => {
  const text = await written([
    { a: { b: 1, c: 'x;"y"' }, list: [{ d: 2 }] },
    { a: { b: null }, e: " blank " },
  ]);
  expect(text).toBe('a.b;a.c;list;e\r\n1;"x;""y""";"[{""d"":2}]";\r\n;;;" blank "\r\n');
});

test("a text of any length is quoted as a whole", async () => {
  const long = `${'"'.repeat(70_000)}😀`;
  expect(await written([{ long }])).toBe(`long\r\n"${'""'.repeat(70_000)}😀"\r\n`);
});

test("an event with thousands of members is refused, and the text says what to configure", async () => {
  const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`m${index}`, index]));
  await expect(written([wide])).rejects.toThrow(
    "more than 1000 members: choose those to write with `columns` or `map`",
  );
});
