import { expect, test } from "vitest";
import { lineDiff } from "./line-diff.ts";

test("the lines that differ are shown with two lines around them", () => {
  expect(lineDiff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\n")).toEqual([
    ...["@@ 2", "  b", "  c", "- d", "+ D", "  e", "  f"],
  ]);
  expect(lineDiff("a\n", "a\n")).toEqual([]);
  expect(lineDiff("", "a\nb")).toEqual(["@@ 1", "-", "+ a", "+ b"]);
});

test("a line that is repeated, added or removed is marked once", () => {
  expect(lineDiff("a\na", "a\na\na")).toEqual(["@@ 1", "  a", "  a", "+ a"]);
  expect(lineDiff("a\na\na", "a\na")).toEqual(["@@ 1", "  a", "  a", "- a"]);
});

test("one change in a text of thousands of lines is one change", () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`);
  const changed = lines.with(9_999, "changed");
  expect(lineDiff(lines.join("\n"), changed.join("\n"))).toEqual([
    ...["@@ 9998", "  line 9998", "  line 9999", "- line 10000", "+ changed", "  line 10001", "  line 10002"],
  ]);
});
