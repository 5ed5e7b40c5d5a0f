import fc from "fast-check";
import { expect, test } from "vitest";
import { asSent, type BulkPiece, bulkCutter } from "./bulk-cutter.ts";

/** Cuts a text that arrives in chunks. The given chunk lengths are used in turn. */
function cut(text: string, { pieceBytes = 200, chunkLengths = [70, 33], isList = true } = {}) {
  const cutter = bulkCutter({ isList, pieceBytes });
  const pieces: BulkPiece[] = [];
  const add = (piece: BulkPiece | null) => void (piece !== null && pieces.push(piece));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = chunkLengths[turn % chunkLengths.length] ?? 1;
    add(cutter.take(bytes.subarray(at, at + length)));
    at += length;
  }
  add(cutter.end());
  return { pieces, isCut: cutter.isCut() };
}

const textOf = (piece: BulkPiece) => Buffer.concat(piece.chunks).toString();
const sentText = (pieces: readonly BulkPiece[]) => Buffer.concat(pieces.flatMap(asSent)).toString();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns all elements of the pieces; undefined if a piece is not a list. */
function elementsOf(pieces: readonly BulkPiece[]): unknown[] | undefined {
  const lists = pieces.map((piece) => parsed(textOf(piece)));
  return lists.every((list) => Array.isArray(list)) ? lists.flat(1) : undefined;
}

const rows = Array.from({ length: 30 }, (_, index) => ({
  workOrderNumber: `WO-${index}`,
  externalData: '[{"a":"ä"},{}]',
}));

test.each([
  ["without spaces", JSON.stringify(rows)],
  ["indented", `\n ${JSON.stringify(rows, null, 2)}\n`],
])("a list of rows that begin alike is cut between them, written %s", (_how, text) => {
  const { pieces, isCut } = cut(text);
  expect(isCut).toBe(true);
  expect(pieces.length).toBeGreaterThan(5);
  expect(elementsOf(pieces)).toEqual(rows);
  expect(sentText(pieces)).toBe(text);
});

test.each([
  ["an object", JSON.stringify({ rows })],
  ["a list of texts", JSON.stringify(rows.map(String))],
  ["a list behind a byte-order mark", `\uFEFF${JSON.stringify(rows)}`],
  ["one long row", JSON.stringify([{ a: "x".repeat(900) }])],
  ["rows that begin with another member each", JSON.stringify(rows.map((row, index) => ({ [`m${index}`]: row })))],
])("%s stays uncut, and its bytes stay what they were", (_kind, text) => {
  const { pieces, isCut } = cut(text);
  expect(isCut).toBe(false);
  expect(sentText(pieces)).toBe(text);
});

test("what is no list for its reader is never cut", () => {
  const text = JSON.stringify(rows);
  const { pieces, isCut } = cut(text, { isList: false });
  expect(isCut).toBe(false);
  expect(pieces.some(({ isOpened, isClosed }) => isOpened || isClosed)).toBe(false);
  expect(sentText(pieces)).toBe(text);
});

/** Rows as senders write them, and rows that tempt the cutter to cut in the wrong place. */
const row = fc.oneof(
  fc.record({ a: fc.string(), b: fc.string() }),
  fc.record({ a: fc.constantFrom(',{"a"', '{"a":1},{"a":2}', '"},{"', "\\", '\\",{"a"'), b: fc.string() }),
  fc.record({ a: fc.array(fc.record({ a: fc.integer() }), { maxLength: 3 }), b: fc.json() }),
  fc.record({ a: fc.string({ unit: "binary" }) }),
);
const list = fc
  .tuple(fc.array(row, { maxLength: 20 }), fc.constantFrom(undefined, 1))
  .map(([elements, indent]) => JSON.stringify(elements, null, indent));
/** A list with something inserted, removed or doubled at any place. */
const spoiledList = fc
  .tuple(
    list,
    fc.nat(),
    fc.nat({ max: 12 }),
    fc.constantFrom("", ",", '"', "[", "]", "}", "{", '},{"a"', ',{"a":', "\\"),
  )
  .map(([text, at, length, put]) => {
    const start = at % (text.length + 1);
    // Half of a surrogate pair cannot be sent.
    return (text.slice(0, start) + put + text.slice(start + length)).toWellFormed();
  });
const way = fc.record({
  pieceBytes: fc.integer({ min: 20, max: 300 }),
  chunkLengths: fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 5 }),
});

test("pieces that can all be read are the body, element by element, and none are where the body cannot be read", () => {
  let cutCount = 0;
  fc.assert(
    fc.property(fc.oneof(list, spoiledList), way, (text, how) => {
      const { pieces, isCut } = cut(text, how);
      if (isCut && pieces.length > 1) {
        const elements = elementsOf(pieces);
        if (elements !== undefined) expect(elements).toEqual(parsed(text));
        if (elements !== undefined) cutCount++;
      }
      expect(sentText(pieces)).toBe(text);
    }),
    { numRuns: 3_000 },
  );
  // The property proves something only if lists really were cut.
  expect(cutCount).toBeGreaterThan(300);
});
