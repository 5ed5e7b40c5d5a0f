import { expect, test } from "vitest";
import { workedMs } from "../../../../test/support/longest-stall.ts";
import { namePattern } from "./sweep.ts";

test.each([
  ["orders-*.csv", "orders-1.csv", true],
  ["orders-*.csv", "ORDERS-x.CSV", true],
  ["orders-*.csv", "orders-1.csv.tmp", false],
  ["orders-*.csv", "items-1.csv", false],
  ["*", "anything", true],
  ["?.csv", "ä.csv", true],
  ["?.csv", "ab.csv", false],
  ["a.b", "axb", false],
  ["*.*.csv", "a.b.csv", true],
])("the pattern %s and the name %s: %s", (pattern, name, does) => {
  expect(namePattern(pattern)(name)).toBe(does);
});

test("a name that is built to be slow takes about as long as any other", () => {
  const name = "a".repeat(250);
  const workOf = (pattern: string) => {
    const before = workedMs();
    for (let time = 0; time < 200; time++) expect(namePattern(pattern)(name)).toBe(false);
    return workedMs() - before;
  };
  const control = Math.max(workOf("*a*b"), workOf("*a*b"));
  expect(workOf("*a*a*a*a*a*a*a*b")).toBeLessThan(control * 20);
});
