import { expect, test } from "vitest";
import { readCode } from "../../scripts/code/read-code.ts";
import { retiredIn, retiredInStore, retiredWords } from "../../scripts/code/retired-words.ts";

test("no name in the source uses a retired word", () => {
  expect(readCode().flatMap(retiredIn)).toEqual([]);
});

test.each(Object.keys(retiredWords))("a name with %s would be found", (word) => {
  const name = `open${word[0]?.toUpperCase()}${word.slice(1)}Table`;
  expect(retiredIn({ path: "engine/sample.ts", text: `export const ${name} = 1;` })).toHaveLength(1);
});

test.each(Object.keys(retiredInStore))("a name with %s would be found in the store, and in no other room", (word) => {
  const text = `export const open${word[0]?.toUpperCase()}${word.slice(1)}Table = 1;`;
  expect(retiredIn({ path: "store/sample.ts", text })).toHaveLength(1);
  expect(retiredIn({ path: "engine/sample.ts", text })).toEqual([]);
});

test("words in comments and strings are not names", () => {
  expect(retiredIn({ path: "engine/sample.ts", text: '// ask\nconst text = "tell";' })).toEqual([]);
});
