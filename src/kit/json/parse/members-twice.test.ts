import fc from "fast-check";
import { expect, test } from "vitest";
import { document, placesTwice, written } from "../../../../test/support/json/members-twice.ts";
import { byForm } from "../../../../test/support/long-form.ts";
import { longestStall, workedMs } from "../../../../test/support/longest-stall.ts";
import { membersTwice, membersTwiceInTurns, placeWritten } from "./members-twice.ts";

const maxDepth = 64;
const found = (text: string) => membersTwice(Buffer.from(text), maxDepth);

test("members that are given twice are found in any document as a plain walk finds them, wherever it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(document, fc.integer({ min: 1, max: 40 }), async (given, pieceBytes) => {
      const text = written(given);
      const expected = { places: placesTwice(given), isComplete: true };
      expect(found(text)).toEqual(expected);
      expect(await membersTwiceInTurns(Buffer.from(text), { maxDepth, pieceBytes })).toEqual(expected);
    }),
    { numRuns: byForm({ gate: 500, long: 5_000 }) },
  );
});

test("of very many, some are named, and that there are more", () => {
  const { places, isComplete } = found(`[${Array.from({ length: 5_000 }, () => '{"a":1,"a":2}').join()}]`);
  expect([places.length, isComplete]).toEqual([1_000, false]);
  expect(places[999]).toEqual([999, "a"]);
});

test.each([
  ["too many members", `{${Array.from({ length: 60_000 }, (_, index) => `"m${index}":1`).join()}}`],
  ["a name that is too long", `{"${"n".repeat(20_000)}":1}`],
  ["too many levels", `${"[".repeat(65)}${"]".repeat(65)}`],
])("the search ends at %s", (_what, text) => {
  expect(found(text)).toEqual({ places: [], isComplete: false });
});

test.each(["]}", '"', '{"a', '{"a\\', '{"\\u12":1,"\\u12":1', ",,", '{,"a":1'])("the search in %s ends", (text) => {
  expect(found(text).isComplete).toBe(true);
});

test("a place is written in whole characters, and shortened", () => {
  expect(placeWritten(["data", 1, "lines", 0, "no"])).toBe("data[1].lines[0].no");
  expect(placeWritten(["\ud83d"]).isWellFormed()).toBe(true);
  expect(placeWritten(["n".repeat(5_000)])).toHaveLength(201);
});

test("a search in turns lets other requests run", async () => {
  const order = { number: "4711", text: "x".repeat(100), lines: [{ item: "A", amount: 1 }] };
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, () => order)));
  const stalls: number[] = [];
  const controls: number[] = [];
  for (let run = 0; run < 3; run++) {
    const startedMs = workedMs();
    membersTwice(bytes, maxDepth);
    controls.push(workedMs() - startedMs);
    stalls.push((await longestStall(() => membersTwiceInTurns(bytes, { maxDepth }))).stallMs);
  }
  expect(Math.min(...stalls)).toBeLessThan(Math.min(...controls) / 2);
});
