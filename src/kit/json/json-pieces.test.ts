import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces } from "./json-pieces.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const pieceTexts = (text: string, pieceBytes: number) =>
  jsonPieces(bytesOf(text), pieceBytes)?.map(({ bytes }) => new TextDecoder().decode(bytes));

test("the pieces of a list, each in brackets, hold its elements in their order", () => {
  const lists = fc.array(fc.json({ stringUnit: "binary" }), { maxLength: 30 });
  fc.assert(
    fc.property(
      lists,
      fc.integer({ min: 0, max: 200 }),
      fc.constantFrom("", " ", "\n\t"),
      (texts, pieceBytes, space) => {
        const text = `${space}[${space}${texts.join(`${space},${space}`)}${space}]${space}`;
        const pieces = pieceTexts(text, pieceBytes);
        const counts = jsonPieces(bytesOf(text), pieceBytes)?.map(({ elements }) => elements);
        if (texts.length > 0) expect(counts?.reduce((sum, count) => sum + count, 0)).toBe(texts.length);
        expect(pieces?.flatMap((piece) => JSON.parse(`[${piece}]`) as unknown[])).toEqual(JSON.parse(text));
      },
    ),
  );
});

test("a piece has at most as many elements as wanted", () => {
  const counts = jsonPieces(bytesOf(`[${"{},".repeat(9)}{}]`), 1_000, 4)?.map(({ elements }) => elements);
  expect(counts).toEqual([4, 4, 2]);
});

test("each piece says where it begins, also after a byte-order mark", () => {
  const text = '\uFEFF["ä",{"b":[1,2]},3]';
  const bytes = bytesOf(text);
  const pieces = jsonPieces(bytes, 1) ?? [];
  expect(pieces).toHaveLength(3);
  for (const { bytes: own, start } of pieces) expect(bytes.subarray(start, start + own.length)).toEqual(own);
});

test.each(["", "{}", "7", "[1,2", "[1]]", "[1] x", "[1,]", '["a]', "[{]}x", '{"a":[1]}'])(
  "%j is not a complete list, and is not split",
  (text) => {
    const pieces = pieceTexts(text, 1);
    const isRead = pieces?.every((piece) => isJson(`[${piece}]`)) ?? false;
    expect(isRead).toBe(false);
  },
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
