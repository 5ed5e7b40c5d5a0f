import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

/** Some names are the beginning of the spelling of others, as far as these have characters. */
const names = [
  "a",
  "abc",
  "ab\\",
  "a\\u",
  "\\",
  "\\u",
  "\u00e4",
  "a\u0308",
  'a"b',
  "__proto__",
  "0",
  "10",
  "",
  "\ud83d\ude00",
];
const name = fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 3 }));
const spaces = fc.constantFrom("", "", " ", "\n\t");
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1.5, 1e21, "", "\\", '"a":', '{"a\\u0062":1}'),
  fc.string(),
  fc.integer(),
);
type Member = readonly [string, Value];
type Value = { readonly leaf: unknown } | { readonly list: readonly Value[] } | { readonly members: readonly Member[] };
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf.map((one) => ({ leaf: one })),
    fc.array(tie("value"), { maxLength: 4 }).map((list) => ({ list })),
    fc
      .uniqueArray(fc.tuple(name, tie("value")), { maxLength: 5, selector: ([one]) => one })
      .map((members) => ({ members })),
  ),
}));

/** Writes every second character as an escape. */
const written = (text: string) =>
  `"${[...text].map((one, nth) => (nth % 2 === 1 && one.length === 1 ? escaped(one) : plain(one))).join("")}"`;
const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
const plain = (one: string) => JSON.stringify(one).slice(1, -1);

function textOf(value: Value, space: string): string {
  if ("leaf" in value) return typeof value.leaf === "string" ? written(value.leaf) : JSON.stringify(value.leaf);
  if ("list" in value) return `[${space}${value.list.map((one) => textOf(one, space)).join(`${space},${space}`)}]`;
  const members = value.members.map(([one, member]) => `${written(one)}${space}:${space}${textOf(member, space)}`);
  return `${space}{${members.join(`${space},`)}${space}}${space}`;
}

/** The value as a list of members, because an object of this engine could hide a wrong name. */
function listed(value: Value): unknown {
  if ("leaf" in value) return value.leaf;
  if ("list" in value) return value.list.map(listed);
  return { members: new Map(value.members.map(([one, member]) => [one, listed(member)])) };
}
function listedParsed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(listedParsed);
  return {
    members: new Map(
      Object.getOwnPropertyNames(value).map((one) => [
        one,
        listedParsed(Object.getOwnPropertyDescriptor(value, one)?.value),
      ]),
    ),
  };
}

test("a name that is written with an escape is read right, whatever was parsed before", () => {
  for (const [before, text, value] of [
    ['{"ab\\\\":1,"z":1}', '{"ab\\u0063":2,"z":1}', { abc: 2, z: 1 }],
    ['{"\\\\":1}', '{"\\u0061":2}', { a: 2 }],
    ['{"\\\\u":1,"x":1}', '{"\\u0061\\u0308":2,"\\\\u":3}', { "a\u0308": 2, "\\u": 3 }],
  ] as const) {
    // Behind a first member of its own: V8 compares only where few names have followed so far.
    const first = (members: string) => members.replace("{", `{${JSON.stringify(text)}:0,`);
    JSON.parse(first(before));
    parseJson(first(before));
    expect(Object.entries(parseJson(first(text)) as object).slice(1)).toEqual(Object.entries(value));
  }
});

test("every value is read as it is written", () => {
  fc.assert(
    fc.property(anyValue, spaces, (value, space) => {
      expect(listedParsed(parseJson(textOf(value, space)))).toEqual(listed(value));
    }),
    { numRuns: 2_000 },
  );
});

test("what is not JSON is refused as JSON.parse refuses it", () => {
  for (const text of ["", "{", '{"a\\u0062":}', '{"a\\x":1}', '{"a\\u0062":1}}', '"\\', '\\":', '{"a\\u0062":1,}']) {
    const message = (parse: (text: string) => unknown) => {
      try {
        return [parse(text)];
      } catch (error) {
        return String(error);
      }
    };
    expect(message(parseJson)).toBe(message(JSON.parse));
  }
});

test("deep and long texts with escaped names are read", () => {
  const depth = 100_000;
  let value = parseJson(`${'{"\\u0061":'.repeat(depth)}1${"}".repeat(depth)}`);
  for (let left = depth; left > 0; left--) value = (value as { a: unknown }).a;
  expect(value).toBe(1);
  const long = "\\\\".repeat(1_000_000);
  expect(parseJson(`{"\\u0061":"${long}","b":"${long}"}`)).toEqual({
    a: JSON.parse(`"${long}"`),
    b: JSON.parse(`"${long}"`),
  });
});
