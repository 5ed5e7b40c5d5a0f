import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText, sameJson } from "./same-json.ts";

const same = (one: string, other: string) => sameJson(jsonText(one), jsonText(other));

test("Spacing and the order of members do not matter", () => {
  expect(same('{"a":"x","b":[1,2]}', '{ "b": [1, 2.0], "a": "x" }')).toBe(true);
});

test("Another value, another type and a missing member do", () => {
  expect(same('{"a":"x","b":1}', '{"a":"y","b":1}')).toBe(false);
  expect(same('{"a":"1"}', '{"a":1}')).toBe(false);
  expect(same('{"a":null,"b":1}', '{"b":1}')).toBe(false);
});

test("Long numbers are compared digit by digit", () => {
  expect(same('{"a":9007199254740993,"b":1}', '{"b":1, "a":9007199254740993}')).toBe(true);
  expect(same('{"a":9007199254740993,"b":1}', '{"b":1, "a":9007199254740992}')).toBe(false);
  expect(same('{"a":1e400 ,"b":1}', '{"b":1, "a":1e401 }')).toBe(false);
});

test("Letters may be spelled by their numbers", () => {
  expect(same('{"a":"AB-1","b":1}', '{"a":"\\u0041B-1","b":1}')).toBe(true);
  expect(same('{"a":"\\u0041B-1","b":1}', '{"a":"AB-1","b":1}')).toBe(true);
});

test("A text is read only when it has to be, and once", () => {
  const broken = jsonText('{"a":"y"');
  expect(sameJson(jsonText('{"a":"xyz"}'), broken)).toBe(false);
  const text = jsonText('{"a":{}}');
  expect(text.value()).toBe(text.value());
});

/** Writes every character of every string as an escape, or only the quotes that must be escaped. */
const spelled = (value: unknown, byNumber: boolean) =>
  byNumber
    ? JSON.stringify(value).replace(
        /"((?:[^"\\]|\\.)*)"/g,
        (text) =>
          `"${[...JSON.parse(text)]
            .flatMap((letter: string) => letter.split(""))
            .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
            .join("")}"`,
      )
    : JSON.stringify(value);

test("two texts are equal if their content is equal, however it is written", () => {
  const word = fc.constantFrom("", "a", "WALL-1", "WALL-1-2", "it.1", 'say "x"', "é", "a/b", "\\u0041");
  const members = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(word, fc.integer(), fc.constant(null)));
  fc.assert(
    fc.property(members, members, fc.boolean(), fc.boolean(), (one, other, oneByNumber, otherByNumber) => {
      const [first, second] = [spelled(one, oneByNumber), spelled(other, otherByNumber)];
      const isNear = Math.abs(first.length - second.length) <= 0.5 * Math.max(first.length, second.length);
      // JSON has no prototypes and no minus zero, so parsed values have none either.
      expect(same(first, second)).toBe(isNear && isDeepStrictEqual(JSON.parse(first), JSON.parse(second)));
    }),
  );
});
