import { expect, test } from "vitest";
import { maskNestedMembers } from "./nested-members.ts";

const mask = (name: string) => (name === "password" ? "***" : null);
const nested = (value: unknown, depth: number): string =>
  depth === 0 ? JSON.stringify(value) : JSON.stringify({ order: "4711", body: nested(value, depth - 1) });

test.each([1, 2, 3, 4])("a member is found in JSON that is a text %i times", (depth) => {
  for (const password of ['a "quoted" \\ secret', 12345678, -1.5e-7]) {
    const given = { user: "jo", password, amount: 5, empty: "" };
    expect(maskNestedMembers(nested(given, depth), mask)).toBe(nested({ ...given, password: "***" }, depth));
  }
});

test("a value that was cut off is replaced to its end, and JSON that is no text inside another stays as it is", () => {
  const text = JSON.stringify({ body: JSON.stringify({ password: "secret" }) });
  expect(maskNestedMembers(text.slice(0, text.indexOf("secret") + 3), mask)).toBe('{"body":"{\\"password\\":\\"***');
  expect(maskNestedMembers('{"password":"secret"}', mask)).toBe('{"password":"secret"}');
});

test("a long hostile text is gone through once", () => {
  for (const part of ['\\"', '\\"a\\":\\"', '\\\\\\"a', '\\"password\\":', "\\"]) {
    expect(maskNestedMembers(part.repeat(2 ** 18 / part.length), mask).length).toBeGreaterThan(0);
  }
});
