import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { NotUtf8, readText } from "./read-text.ts";

const written = (bytes: Buffer): string => {
  const file = join(temporaryFolder(), "text");
  writeFileSync(file, bytes);
  return file;
};

test.each(["", "plain\n", "Stück\nгород\n"])("%j is read as it was written", (text) => {
  expect(readText(written(Buffer.from(text)))).toBe(text);
});

test.each([
  ["Windows-1252", Buffer.from("first: a\nsecond: St\xfcck\n", "latin1"), 2],
  ["a cut letter at the end", Buffer.from("first: a\nsecond: b\nthird: St\xc3", "latin1"), 3],
  ["UTF-16 with its mark", Buffer.from("\ufefffirst", "utf16le"), 1],
])("%s is refused with its line", (_, bytes, line) => {
  const file = written(bytes);
  expect(() => readText(file)).toThrow(new NotUtf8(file, line));
});
