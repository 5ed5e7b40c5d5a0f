import fc from "fast-check";
import { expect, test } from "vitest";
import { memberPath, pathWritten } from "./member-path.ts";

test.each([
  ["Customer.Name", 0, ["Customer", "Name"]],
  ["lines[0].qty", 0, ["lines", 0, "qty"]],
  ['["odd name"].x', 0, ["odd name", "x"]],
  ['a["No."][2]', 0, ["a", "No.", 2]],
  ["Order No", 0, ["Order No"]],
  ["@_id", 0, ["@_id"]],
  ["^.DocNum", 1, ["DocNum"]],
  ["^.^.Header.Id", 2, ["Header", "Id"]],
  ["^", 1, []],
  ["$", 0, []],
])("the path %s climbs %i times and takes these steps", (text, climbs, steps) => {
  expect(memberPath(text)).toMatchObject({ climbs, steps });
});

test.each(["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a b]", 'a["b', "a.^.b", "= a"])(
  "%j is no path",
  (text) => {
    expect(memberPath(text)).toBeNull();
  },
);

test("a path that is written out is read back as the same steps, whatever the names are", () => {
  const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/^[$=]|\s$/.test(text));
  const steps = fc.array(fc.oneof(name, fc.nat(1000)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(steps, (given) => {
      expect(memberPath(pathWritten(given))).toMatchObject({ climbs: 0, steps: given });
    }),
  );
});
