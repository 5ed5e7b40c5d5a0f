import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesInTurns } from "./bytes-in-turns.ts";

test("pieces give the bytes of the whole text, wherever it is cut", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 10 }), async (pieces, turnLength) => {
      expect((await bytesInTurns(pieces, turnLength)).equals(Buffer.from(pieces.join("")))).toBe(true);
    }),
  );
});

test("other work runs while a long text is encoded", async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await bytesInTurns(["x".repeat(1_000_000)]);
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
