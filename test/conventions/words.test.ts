import { basename, resolve } from "node:path";
import { expect, test } from "vitest";
import { readCode } from "../../scripts/code/read-code.ts";
import { retiredIn, retiredInStore, retiredWords } from "../../scripts/code/retired-words.ts";

test.each(["src", "console", "examples"])("no name in %s uses a retired word", (folder) => {
  const files = readCode(resolve(import.meta.dirname, "../..", folder));
  expect(files.length).toBeGreaterThan(0);
  expect(files.flatMap(retiredIn)).toEqual([]);
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

/** The part that a file plays in its folder: every kind of connector has its options, for example. */
const parts = new Set(["catalogue.ts", "connector.ts", "index.ts", "options.ts", "schema.ts"]);
/** A command has the name of what it runs, and texts have the name of their subject. */
const namedAfterOthers = /^(?:cli\/commands|messages\/texts)\//;

/** Names that two files have, with their paths. */
function ambiguous(paths: readonly string[]): string[] {
  const own = paths.filter((path) => !parts.has(basename(path)) && !namedAfterOthers.test(path));
  return [...Map.groupBy(own, (path) => basename(path)).values()]
    .filter((same) => same.length > 1)
    .map((same) => same.join(" and "));
}

test("the name of a file leads to one file", () => {
  expect(ambiguous(readCode().map(({ path }) => path))).toEqual([]);
});

test("a second file of the same name would be found", () => {
  expect(ambiguous(["engine/intake/rows.ts", "store/rows.ts", "store/options.ts", "config/options.ts"])).toEqual([
    "engine/intake/rows.ts and store/rows.ts",
  ]);
});
