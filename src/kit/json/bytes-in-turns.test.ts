import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesAsText, bytesInTurns, jsonInTurns } from "./bytes-in-turns.ts";

test("pieces give the bytes of the whole text, wherever it is cut", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 10 }), async (pieces, turnLength) => {
      expect((await bytesInTurns(pieces, turnLength)).equals(Buffer.from(pieces.join("")))).toBe(true);
    }),
  );
});

test("bytes give the whole text, wherever they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 10 }), async (text, turnLength) => {
      expect(await bytesAsText(Buffer.from(text), turnLength)).toBe(text);
    }),
  );
});

test.each([
  ["a long list", Array.from({ length: 30_000 }, (_, index) => ({ index, name: `Ж ${index}` }))],
  ["a long text", "Ж".repeat(200_000)],
  ["a short object", { a: 1 }],
  ["a text", "a"],
])("%s is written as the bytes of its JSON", async (_what, value) => {
  expect((await jsonInTurns(value)).equals(Buffer.from(JSON.stringify(value)))).toBe(true);
});

test("what has no JSON is written as nothing", async () => {
  expect(await jsonInTurns(undefined)).toHaveLength(0);
});

test.each([
  ["encoded", () => bytesInTurns(["x".repeat(1_000_000)])],
  ["decoded", () => bytesAsText(Buffer.alloc(1_000_000, "x"))],
])("other work runs while a long text is %s", async (_how, work) => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
