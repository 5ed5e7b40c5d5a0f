import { expect, test } from "vitest";
import { readCode } from "../../scripts/code/read-code.ts";
import { retiredIn, retiredWords } from "../../scripts/code/retired-words.ts";

test("no name in the source uses a retired word", () => {
  expect(readCode().flatMap(retiredIn)).toEqual([]);
});

test.each(Object.keys(retiredWords))("a name with %s would be found", (word) => {
  const name = `open${word[0]?.toUpperCase()}${word.slice(1)}Table`;
  expect(retiredIn({ path: "engine/sample.ts", text: `export const ${name} = 1;` })).toHaveLength(1);
});

test("words in comments and strings are not names", () => {
  expect(retiredIn({ path: "engine/sample.ts", text: '// ask\nconst text = "tell";' })).toEqual([]);
});
