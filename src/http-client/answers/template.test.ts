import fc from "fast-check";
import { expect, test } from "vitest";
import { placeholdersInNames, template, valueTemplate } from "./template.ts";

test("placeholders are filled by path, in any letter case of the first name", () => {
  const { names, fill } = template("/a/{code}/{Line.no}/{rows[0].id}");
  expect(names).toEqual(["code", "Line.no", "rows[0].id"]);
  expect(fill({ Code: "x", line: { no: 7 }, rows: [{ id: true }] })).toBe("/a/x/7/true");
});

test("a text template is undefined if none of its values exist", () => {
  expect(template("{a}-{b}").fill({})).toBeUndefined();
  expect(template("{a}-{b}").fill({ a: 1 })).toBe("1-");
  expect(template("plain").fill({})).toBe("plain");
});

test("braces that are written twice are braces", () => {
  expect(template('{{"code":"{code}"}}').fill({ code: "x" })).toBe('{"code":"x"}');
});

test("an element of a list without a value is left out, and a null that is written stays", () => {
  const { fill } = valueTemplate({ domain: [["id", "=", "{id}"], "{more}", "{none}"], args: [null, ["{none}"]] });
  expect(fill({ id: 7, more: ["state", "=", "done"], none: null })).toEqual({
    domain: [
      ["id", "=", 7],
      ["state", "=", "done"],
    ],
    args: [null, []],
  });
});

test("placeholders in the names of members are found at any depth", () => {
  expect(placeholdersInNames({ a: [{ "{code}": 1 }], "b{{c}}": { "x{y}": "{z}" } })).toEqual(["{code}", "x{y}"]);
});

test("a value that stands alone keeps its kind", () => {
  const { fill } = valueTemplate({ all: "{rows}", some: "n {n}", none: "{x}", list: ["{x}", "{n}", 3, null] });
  expect(JSON.parse(JSON.stringify(fill({ rows: [{ a: 1 }], n: 2 })))).toEqual({
    all: [{ a: 1 }],
    some: "n 2",
    list: [2, 3, null],
  });
});

test("the value of a placeholder is never read as a template, and never ends a quoted text", () => {
  fc.assert(
    fc.property(fc.string(), (code) => {
      expect(template("'{code}'").fill({ code: `x${code}` })).toBe(`'x${code.replaceAll("'", "''")}'`);
      expect(template("{code}").fill({ code: `x${code}` }, encodeURIComponent)).toBe(encodeURIComponent(`x${code}`));
    }),
  );
});

test("where only a number is allowed, anything else becomes a number that no record has", () => {
  const { names, fill } = template("No eq {code:number}");
  expect(names).toEqual(["code"]);
  expect(["0471", " 7 ", "7 or 1 eq 1", "-7", "1e3", "x"].map((code) => fill({ code }))).toEqual(
    ["0471", "7", "-1", "-1", "-1", "-1"].map((number) => `No eq ${number}`),
  );
});
