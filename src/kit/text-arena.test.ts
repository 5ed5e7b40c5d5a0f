import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TextArena } from "./text-arena.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.nat({ max: 300_000 }).map((length) => "ä".repeat(length)),
);

test("every text is found again under its number, and the pieces are all of them in a row", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.boolean()), { maxLength: 12 }), (given) => {
      const arena = new TextArena(",");
      const texts = given.map(([one]) => one);
      const added = given.map(([one, isBytes]) => (isBytes ? arena.addBytes(Buffer.from(one)) : arena.add(one)));
      expect(added).toEqual(texts.keys().toArray());
      expect(added.map((index) => arena.lengthAt(index))).toEqual(texts.map((one) => Buffer.byteLength(one)));
      expect(texts.map((_, index) => arena.at(index))).toEqual(texts);
      expect([...arena.pieces()].map((piece) => Buffer.from(piece).toString()).join(",")).toBe(texts.join(","));
    }),
    { numRuns: 30 },
  );
});

/** Runs in a separate process, because memory that other tests leave behind would be counted here. */
const measured = `
  import { TextArena } from ${JSON.stringify(new URL("./text-arena.ts", import.meta.url))};
  const arena = new TextArena();
  const before = process.memoryUsage().arrayBuffers;
  const grown = () => process.memoryUsage().arrayBuffers - before;
  for (let index = 0; index < 40; index++) arena.add("x".repeat(500_000));
  const held = grown();
  arena.free();
  console.log(JSON.stringify({ held, left: grown() }));
`;

test("released texts are gone at once", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", measured], { encoding: "utf8" });
  const { held, left } = JSON.parse(output) as { held: number; left: number };
  expect(held).toBeGreaterThan(19_000_000);
  expect(left).toBeLessThan(5_000_000);
});
