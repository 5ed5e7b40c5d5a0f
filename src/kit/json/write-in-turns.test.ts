import fc from "fast-check";
import { expect, test } from "vitest";
import { longestStall, workedMs } from "../../../test/support/longest-stall.ts";
import { parseJsonKeepingDigits } from "./exact-number.ts";
import { isWrittenLonger, textSlices, writeInTurns } from "./write-in-turns.ts";

const text = fc.string({ unit: "binary", maxLength: 60 });
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.double(),
    fc.constantFrom(null, undefined, true, new Date(0)),
    fc.constant(parseJsonKeepingDigits("[12345678901234567890.5]")),
    fc.array(tie("value")),
    fc.dictionary(text, tie("value")),
  ),
}));

test("a value is written in turns with the same result as at once", async () => {
  await fc.assert(
    fc.asyncProperty(value, fc.integer({ min: 1, max: 200 }), async (given, length) => {
      expect(await writeInTurns(given, length)).toBe(JSON.stringify(given));
    }),
    { numRuns: 2_000 },
  );
});

test("a value is written longer than a length if its JSON is", () => {
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 200 }), (given, length) => {
      expect(isWrittenLonger(given, length)).toBe((JSON.stringify(given)?.length ?? 0) > length);
    }),
  );
  const long = Array.from({ length: 30_000 }, (_, index) => `text ${index}`);
  const { length } = JSON.stringify(long);
  expect([length - 1, length].map((most) => isWrittenLonger(long, most))).toEqual([true, false]);
});

test("the slices of a text are the text, and none ends within a surrogate pair", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 5 }), (given, length) => {
      const slices = [...textSlices(given, length)];
      expect(slices.join("")).toBe(given);
      expect(slices.every((slice) => slice.isWellFormed())).toBe(given.isWellFormed());
    }),
  );
});

test.each([
  ["long texts", { image: "a".repeat(5_000_000), note: "ä\n".repeat(1_000_000) }],
  ["many elements", { lines: Array.from({ length: 300_000 }, (_, index) => ({ item: `I-${index}`, amount: index })) }],
])("other work runs while %s are written", async (_what, given) => {
  const stalls: number[] = [];
  const controls: number[] = [];
  for (let run = 0; run < 3; run++) {
    const startedMs = workedMs();
    JSON.stringify(given);
    controls.push(workedMs() - startedMs);
    stalls.push((await longestStall(() => writeInTurns(given))).stallMs);
  }
  expect(Math.min(...stalls)).toBeLessThan(Math.min(...controls));
});
