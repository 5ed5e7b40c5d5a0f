import fc from "fast-check";
import { expect, test } from "vitest";
import { halfCharacters, halfCharactersInTurns } from "./half-characters.ts";

const noTurn = async () => {};

test("in turns, the same half characters are found as at once", async () => {
  const half = fc.constantFrom("whole", "\ud83d\ude00", "\ud800", "a\udc00");
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      half,
      fc.constantFrom(1, null, true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(half, tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      expect(await halfCharactersInTurns(given, noTurn)).toEqual(halfCharacters(given));
    }),
  );
});

test("other work runs while thousands of texts are checked", async () => {
  const turns: number[] = [];
  const lines = Array.from({ length: 10_000 }, (_, index) => ({ number: `line-${index}` }));
  expect(await halfCharactersInTurns({ lines }, async () => void turns.push(1))).toEqual([]);
  expect(turns.length).toBeGreaterThan(5);
});
