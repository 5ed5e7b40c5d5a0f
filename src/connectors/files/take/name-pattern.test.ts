import { expect, test } from "vitest";
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

test("a name made to take long takes no time", () => {
  const started = performance.now();
  expect(namePattern("*a*a*a*a*a*a*a*b")("a".repeat(250))).toBe(false);
  expect(performance.now() - started).toBeLessThan(1_000);
});
