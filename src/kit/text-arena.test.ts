import fc from "fast-check";
import { expect, test } from "vitest";
import { TextArena } from "./text-arena.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.nat({ max: 300_000 }).map((length) => "ä".repeat(length)),
);

test("every text is found again under its number, and the pieces are all of them in a row", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
      const arena = new TextArena(",");
      expect(texts.map((one) => arena.add(one))).toEqual(texts.keys().toArray());
      expect(texts.map((_, index) => arena.at(index))).toEqual(texts);
      expect([...arena.pieces()].map((piece) => Buffer.from(piece).toString()).join(",")).toBe(texts.join(","));
    }),
    { numRuns: 30 },
  );
});

test("released texts are gone at once", () => {
  const arena = new TextArena();
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 40; index++) arena.add("x".repeat(500_000));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(20_000_000);
  arena.free();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
});
