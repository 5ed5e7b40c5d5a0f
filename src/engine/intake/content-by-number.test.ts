import { expect, test } from "vitest";
import { ContentByNumber } from "./content-by-number.ts";

test("of many records, each number is known with its first content", () => {
  const table = new ContentByNumber();
  const numbers = Array.from({ length: 9_000 }, (_, index) => `SO-${index}`);
  const isContradicted = (number: string, index: number) =>
    table.contradicted(number, `content of ${number}`, index) !== null;
  expect(numbers.some(isContradicted)).toBe(false);
  expect(numbers.some(isContradicted)).toBe(false);
  expect(table.contradicted("SO-19", "something else", 9_001)).toBe(19);
  expect(table.contradicted("SO-8999", "something else", 9_002)).toBe(8999);
  expect(table.contradicted("SO-19", "content of SO-19", 9_003)).toBe(null);
});

test("a table that was released is empty and can be used again", () => {
  const table = new ContentByNumber();
  for (let index = 0; index < 1_000; index++) table.contradicted(`SO-${index}`, "first", index);
  table.release();
  table.release();
  expect(table.contradicted("SO-7", "second", 3)).toBe(null);
  expect(table.contradicted("SO-7", "third", 4)).toBe(3);
});
