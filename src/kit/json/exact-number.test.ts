import fc from "fast-check";
import { expect, test } from "vitest";
import {
  exactJson,
  exactNumber,
  longNumberIn,
  longNumbersAsText,
  mayHoldLongNumbers,
  parseJsonKeepingDigits,
} from "./exact-number.ts";

test("a number that a JavaScript number holds exactly becomes one, any other stays text", () => {
  expect(["12.500", "0", "-0.10", "1e3", "00012", "9007199254740991", ".5"].map(exactNumber)).toEqual([
    12.5, 0, -0.1, 1000, 12, 9007199254740991, 0.5,
  ]);
  for (const text of ["9007199254740993", "0.1234567890123456789", "12345678901234567890", "NaN", "Infinity", ""]) {
    expect(exactNumber(text)).toBe(text);
  }
});

test("a number with very many zeros takes no longer than any other text of its length", () => {
  // With a time that grows with the square of the length this would take more than an hour.
  const zeros = "0".repeat(4_000_000);
  const small = `0.${zeros}1`;
  expect([exactNumber(`1.${zeros}`), exactNumber(`0.${zeros}`), exactNumber(small) === small]).toEqual([1, 0, true]);
  expect(JSON.stringify(parseJsonKeepingDigits(`[${small}]`)) === `[${small}]`).toBe(true);
});

test("no digit is ever lost: what becomes a number is written back with the same digits", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.nat(12), (whole, scale) => {
      const digits = whole
        .toString()
        .replace("-", "")
        .padStart(scale + 1, "0");
      const text = `${whole < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}0`;
      const read = exactNumber(text);
      if (typeof read === "string") return read === text;
      // Written with as many decimal places as the text had, the number must give the text again.
      return scale > 0 && Math.abs(read) < 1e21
        ? BigInt(Math.round(read * 10 ** scale)) === whole || read.toFixed(scale) === text.slice(0, -1)
        : true;
    }),
  );
});

test("JSON keeps its numbers too, and a text that is not JSON stays text", () => {
  expect(exactJson('{"id": 9007199254740993, "qty": 1.50, "list": [1e2]}')).toEqual({
    id: "9007199254740993",
    qty: 1.5,
    list: [100],
  });
  expect(exactJson("{half")).toBe("{half");
});

test("a long number that is kept is written out again digit by digit, and is neither a number nor a text", () => {
  const text = '{"id":12345678901234567890,"list":[1.0000000000000001,2],"text":"12345678901234567890"}';
  const value = parseJsonKeepingDigits(text) as { id: unknown; list: unknown[]; text: unknown };
  expect(JSON.stringify(value)).toBe(text);
  expect([longNumberIn(value.id), longNumberIn(value.list[1]), longNumberIn(value.text)]).toEqual([
    "12345678901234567890",
    undefined,
    undefined,
  ]);
  expect(typeof value.id).toBe("object");
  expect(structuredClone(longNumbersAsText(value))).toEqual({
    id: "12345678901234567890",
    list: ["1.0000000000000001", 2],
    text: "12345678901234567890",
  });
});

test("long digits inside strings are no long numbers, whatever else the strings contain; outside they are", () => {
  const odd = fc.string({
    unit: fc.constantFrom('"', "\\", "1234567890123456", "a", "1e9999,", "\u0000"),
    maxLength: 8,
  });
  const strings = fc.array(fc.tuple(odd, odd), { maxLength: 6 });
  fc.assert(
    fc.property(strings, (pairs) => {
      const texts = Object.fromEntries(pairs);
      expect(mayHoldLongNumbers(JSON.stringify({ texts, number: 12.5 }))).toBe(false);
      for (const digits of ["12345678901234567890", "1e400", "-0.1234567890123456"]) {
        const text = `${JSON.stringify({ texts }).slice(0, -1)},"number":${digits},"more":${JSON.stringify(pairs)}}`;
        expect(mayHoldLongNumbers(text)).toBe(true);
      }
    }),
  );
  expect(mayHoldLongNumbers('{"a":"1234567890123456')).toBe(false);
});

test("many digits are found wherever they stand, and nowhere else", () => {
  const part = fc.oneof(
    fc.stringMatching(/^[0-9.]{1,20}$/),
    fc.stringMatching(/^[a-z ,}]{1,20}$/),
    fc.constantFrom("1e400 ", "1E-300,", "2e+12", ".".repeat(40), `9${".".repeat(14)}9`, `9${".".repeat(15)}9`),
  );
  const expected = /\d[\d.]{14}\d|\d[eE][+-]?\d{3,}(?=[\s,}\]])/;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(mayHoldLongNumbers(text)).toBe(expected.test(text));
    }),
    { numRuns: 2_000 },
  );
});

test("a text is parsed with its long numbers as without a mark, whatever it contains", () => {
  const long = fc.constantFrom(
    "12345678901234567890",
    "-1.0000000000000000001",
    "1e400 ",
    "0.10000000000000000000000001E-7",
  );
  const short = fc.constantFrom("1", "-0.5", "1e3", '"12345678901234567890"', '"\\\\\\""', '"number "', "null", "true");
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      long,
      short,
      fc.array(tie("text"), { maxLength: 4 }).map((all) => `[${all.join(" ,")}]`),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom("a", "1", "__proto__", 'b\\"'), tie("text")), {
          selector: ([name]) => name,
        })
        .map((all) => `{${all.map(([name, member]) => `"${name}": ${member}`).join(",")}}`),
    ),
  }));
  const keepDigits = (_name: string, value: unknown, { source }: { source?: string } = {}) => {
    if (typeof value !== "number" || source === undefined) return value;
    const number = exactNumber(source);
    return typeof number === "number"
      ? number
      : (JSON as unknown as { rawJSON: (digits: string) => unknown }).rawJSON(source);
  };
  fc.assert(
    fc.property(text, (json) => {
      const revived = JSON.parse(json, keepDigits as (name: string, value: unknown) => unknown);
      expect(JSON.stringify(parseJsonKeepingDigits(json))).toBe(JSON.stringify(revived));
    }),
  );
});

test.each(["[12345678901234567890,]", "{12345678901234567890:1}", "[012345678901234567890]", "[1234567890123456789.]"])(
  "%s is not JSON, and the error is that of the parser",
  (text) => {
    const message = (run: () => unknown) => {
      try {
        return run();
      } catch (error) {
        return String(error);
      }
    };
    expect(message(() => parseJsonKeepingDigits(text))).toBe(message(() => JSON.parse(text)));
  },
);
