import { expect, test } from "vitest";
import { pseudonyms } from "./pseudonyms.ts";

const { number } = pseudonyms(new Uint8Array(32).fill(7));

test("numbers of so many digits become other numbers of so many digits, each another one", () => {
  for (const [first, last] of [
    [1, 9],
    [10, 99],
    [1000, 9999],
  ] as const) {
    const made = Array.from({ length: last - first + 1 }, (_, index) => number(first + index));
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((one) => one >= first && one <= last)).toBe(true);
  }
});

test("the same number becomes the same again, a negative one stays negative, and another key makes others", () => {
  expect(number(50_000_123)).toBe(number(50_000_123));
  expect(number(-12)).toBe(-number(12));
  expect(number(0)).toBe(0);
  const other = pseudonyms(new Uint8Array(32).fill(8));
  expect(Array.from({ length: 90 }, (_, index) => other.number(10 + index))).not.toEqual(
    Array.from({ length: 90 }, (_, index) => number(10 + index)),
  );
});
