import { expect, test } from "vitest";
import { parseJsonKeepingDigits } from "./exact-number.ts";
import { jsonBeginning } from "./json-beginning.ts";

const values: readonly unknown[] = [
  ...[null, true, 12.5, 'a "b" \n ü 𝄞', "", [], {}, [1, [2, { c: undefined }]], Number.NaN, undefined],
  { a: undefined, b: [undefined], c: () => 1, d: new Date(0), __proto__x: { e: "" }, "odd name": -0 },
  JSON.parse('{"__proto__": {"x": 1}}'),
];

test("what fits is written as JSON.stringify writes it", () => {
  for (const value of values) {
    expect(jsonBeginning(value, 1_000)).toEqual({ text: JSON.stringify(value) ?? "null", isCut: false });
  }
});

test("at every limit the text is the beginning of the whole, and says whether it was cut", () => {
  for (const value of values) {
    const whole = JSON.stringify(value) ?? "null";
    for (let bytes = 1; bytes <= Buffer.byteLength(whole); bytes++) {
      const { text, isCut } = jsonBeginning(value, bytes);
      expect(whole.startsWith(text)).toBe(true);
      expect(Buffer.byteLength(text)).toBeGreaterThan(bytes - 4);
      expect(isCut).toBe(text.length < whole.length);
    }
  }
});

test("long numbers and big integers keep their digits", () => {
  const value = { a: parseJsonKeepingDigits("12345678901234567890"), b: 12345678901234567890n };
  expect(jsonBeginning(value, 100).text).toBe('{"a":12345678901234567890,"b":12345678901234567890}');
});

test("a value that is deeper than any stack is cut", () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  expect(jsonBeginning(value, 1_000_000)).toMatchObject({ isCut: true });
});

test("only what is kept is read", () => {
  let read = 0;
  const list = Array.from({ length: 10_000 }, () => ({
    get name() {
      read++;
      return "0123456789";
    },
  }));
  jsonBeginning(list, 1_000);
  expect(read).toBeLessThan(60);
});
