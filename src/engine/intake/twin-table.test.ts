import { expect, test } from "vitest";
import { TwinTable } from "./twin-table.ts";

test("of many records each number is known with what it said first", () => {
  const table = new TwinTable();
  const numbers = Array.from({ length: 9_000 }, (_, index) => `SO-${index}`);
  expect(numbers.some((number) => table.isContradicted(number, `content of ${number}`))).toBe(false);
  expect(numbers.some((number) => table.isContradicted(number, `content of ${number}`))).toBe(false);
  expect(table.isContradicted("SO-19", "something else")).toBe(true);
  expect(table.isContradicted("SO-19", "content of SO-19")).toBe(false);
});
