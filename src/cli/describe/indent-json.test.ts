import fc from "fast-check";
import { expect, test } from "vitest";
import { indentedJson, indentJson } from "./terminal-text.ts";

test("a text that is indented and compacted again is the original text", () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (json) => {
      expect(indentJson(indentJson(json, "  "), "")).toBe(json);
      expect(indentJson(json, "  ")).toBe(JSON.stringify(JSON.parse(json), null, 2));
    }),
  );
});

test("numbers and texts stay as they were written", () => {
  expect(indentJson('{ "a" : 9007199254740993 , "b":"\\u00e9 : ,{" }', "")).toBe(
    '{"a":9007199254740993,"b":"\\u00e9 : ,{"}',
  );
});

test("a text that is no JSON keeps its spaces", () => {
  const error = "the receiver could not be reached: connect ECONNREFUSED 127.0.0.1:9";
  expect(indentedJson(error)).toBe(error);
  expect(indentedJson('{"a":1}')).toBe('{\n  "a": 1\n}');
});
