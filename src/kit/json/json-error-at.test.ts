import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonErrorAt } from "./json-error-at.ts";

test.each([
  ['{"a":x}', 5],
  ['{"a":1,}', 7],
  ["[1,]", 3],
  ["[1 2]", 3],
  ['{"a" 1}', 5],
  ["{a:1}", 1],
  ["{'a':1}", 1],
  ["[1}", 2],
  ["[1] 2", 4],
  ["tru]", 3],
  ["True", 0],
  ["NaN", 0],
  ["[01]", 2],
  ["[-]", 2],
  ["[1.]", 3],
  ["[.5]", 1],
  ["[1e+]", 4],
  ["[+1]", 1],
  ['["a\nb"]', 3],
  ['["a\\x"]', 4],
  ['["\\u12g4"]', 6],
  ["", 0],
  ["  ", 2],
  ['{"a":[1,2', 9],
  ['{"a":"never closed', 18],
  ['["\\', 3],
  ["// a comment\n{}", 0],
  ["\uFEFF{}", 0],
])("%j stops being JSON at %i", (text, place) => {
  expect(jsonErrorAt(text)).toBe(place);
});

test("a text is JSON exactly where the parser takes it, and a place the parser names is that place", () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  const put = fc.constantFrom(
    ...[",", "]", "}", "[", "{", '"', ":", " ", "1", "\\", "-", ".", "e", "u", "t", "\n", ""],
  );
  fc.assert(
    fc.property(value, fc.nat(), put, fc.nat(2), fc.boolean(), (given, place, added, taken, isIndented) => {
      const text = JSON.stringify(given, null, isIndented ? 2 : 0);
      const at = place % (text.length + 1);
      const damaged = text.slice(0, at) + added + text.slice(at + taken);
      const found = jsonErrorAt(damaged);
      let error = "";
      try {
        JSON.parse(damaged);
      } catch (thrown) {
        error = String(thrown);
      }
      expect(found === null).toBe(error === "");
      const named = /position (\d+)/.exec(error)?.[1];
      if (named !== undefined) expect(`${damaged} ${found}`).toBe(`${damaged} ${named}`);
    }),
    { numRuns: 5_000 },
  );
});
