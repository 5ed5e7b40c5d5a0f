import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanJson } from "./scan-json.ts";

const scan = (text: string, limits: Partial<Parameters<typeof scanJson>[1]> = {}) =>
  scanJson(Buffer.from(text), { depth: 64, ...limits });

describe("a member given twice", () => {
  test.each([
    ["exactly", '{"a":1,"b":2,"a":3}', "a"],
    ["by an escape", '{"number":1,"numbe\\u0072":2}', "number"],
    ["by an escape written in capitals", '{"jo":1,"\\u006A\\u006F":2}', "jo"],
    ["in another letter case", '{"number":1,"NUMBER":2}', "NUMBER"],
    ["in another letter case of letters beyond ASCII", '{"größe":1,"GRÖSSE":2}', "GRÖSSE"],
    ["by a letter that only looks like another case", '{"key":1,"\\u212aey":2}', "\u212aey"],
    ["by an escape of a quote", '{"a\\"b":1,"a\\u0022b":2}', 'a"b'],
    ["at depth", '{"requests":[{},{"line":{"lot":1,"LOT":2}}]}', "requests[1].line.LOT"],
    ["in an element of a list", '[{"a":1},{"a":1,"a":2}]', "[1].a"],
    ["behind a longer object in between", '{"a":{"b":1,"c":{"a":2}},"x":[{"a":1},{"a":2}],"A":1}', "A"],
    ["with space before the colon", '{"a"\n:1,"a"\t :2}', "a"],
  ])("is found: %s", (_how, text, field) => {
    expect(scan(text)).toEqual({ flaw: "duplicate-member", field });
  });

  test.each([
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"a":"b","b":"a","c":["a","a","A"]}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a\\\\":1,"a":2}',
    "[]",
    '"a"',
    "",
    '{"a":1,"b',
  ])("is not seen where there is none: %s", (text) => {
    expect(scan(text)).toBeNull();
  });

  test("of a map only counts with its letter case: its names are data", () => {
    const maps = new Set(["remaining"]);
    expect(scan('{"Remaining":{"ab-1":1,"AB-1":2}}', { maps })).toBeNull();
    expect(scan('{"remaining":{"ab-1":1,"ab\\u002d1":2}}', { maps })).toMatchObject({ flaw: "duplicate-member" });
    expect(scan('{"remaining":{"a":{"b":1,"B":2}}}', { maps })).toMatchObject({ field: "remaining.a.B" });
    expect(scan('{"other":{"ab-1":1,"AB-1":2}}', { maps })).toMatchObject({ flaw: "duplicate-member" });
  });

  test("is found in any document as a plain walk finds it", () => {
    const name = fc.oneof(fc.constantFrom("a", "A", "b", "ä", "Ä", "ſ", "S", 'q"', "\\"), fc.string({ maxLength: 3 }));
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        name,
        fc.array(tie("node"), { maxLength: 4 }),
        fc.array(fc.tuple(name, tie("node")), { maxLength: 4 }).map((members) => ({ members })),
      ),
    }));
    const written = (value: unknown): string => {
      if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
      if (typeof value !== "object" || value === null) return JSON.stringify(value);
      const { members } = value as { members: [string, unknown][] };
      return `{${members.map(([own, member]) => `${JSON.stringify(own)}: ${written(member)}`).join(" ,")}}`;
    };
    const hasTwice = (value: unknown): boolean => {
      if (Array.isArray(value)) return value.some(hasTwice);
      if (typeof value !== "object" || value === null) return false;
      const { members } = value as { members: [string, unknown][] };
      const folded = members.map(([own]) => own.toUpperCase().toLowerCase());
      return new Set(folded).size < folded.length || members.some(([, member]) => hasTwice(member));
    };
    fc.assert(
      fc.property(node, (value) => {
        const flaw = scan(written(value));
        expect(flaw?.flaw === "duplicate-member").toBe(hasTwice(value));
      }),
      { numRuns: 2_000 },
    );
  });
});

test("a text with half a letter is found, wherever it stands", () => {
  expect(scan('{"a":["\\ud83d\\ude00","x\\ud83d"]}')).toEqual({ flaw: "lone-surrogate", field: "a[1]" });
  expect(scan('{"a\\uDC00":1}')).toMatchObject({ flaw: "lone-surrogate" });
  expect(scan('"\\ud83d\\ud83d\\ude00"')).toMatchObject({ flaw: "lone-surrogate" });
  expect(scan('"\\\\ud83d"')).toBeNull();
});

test("an object with too many members and a list with too many elements are found before they are parsed", () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"m${index}":{}`).join(",")}}`;
  expect(scan(members(10), { members: 10 })).toBeNull();
  expect(scan(`{"x":${members(11)}}`, { members: 10 })).toEqual({ flaw: "members", field: "x" });
  expect(scan("[1,2,3]", { elements: 3 })).toBeNull();
  expect(scan('{"x":[[1],[1,{"a":1,"b":[]},3,4]]}', { elements: 3 })).toEqual({ flaw: "elements", field: "x[1]" });
});

test("a document nested too deep is found", () => {
  expect(scan("[".repeat(64) + "]".repeat(64))).toBeNull();
  expect(scan("[".repeat(65))).toMatchObject({ flaw: "depth" });
});

test("many large documents one after the other do not disturb each other", () => {
  const large = `[${Array.from({ length: 20_000 }, (_, index) => `{"a${index % 7}":1,"b":2}`).join(",")}]`;
  for (let run = 0; run < 3; run++) {
    expect(scan(large)).toBeNull();
    expect(scan('{"a":1}')).toBeNull();
    expect(scan('{"a":1,"a":1}')).toMatchObject({ field: "a" });
  }
});
