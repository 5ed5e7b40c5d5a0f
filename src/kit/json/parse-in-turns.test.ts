import fc from "fast-check";
import { expect, test } from "vitest";
import { MemberTwice, parseInTurns, TooDeep } from "./parse-in-turns.ts";

const inTurns = (text: string, pieceBytes: number) =>
  parseInTurns(Buffer.from(text), { parse: JSON.parse, maxDepth: 64, pieceBytes });

/** Returns the value, or says that the text is not JSON. */
async function read(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "not JSON";
  }
}

const value = fc.jsonValue({ maxDepth: 6 });
const space = fc.constantFrom(0, 1, "\t");
const pieceBytes = fc.integer({ min: 1, max: 40 });

test("a text is parsed in turns with the same result as at once", async () => {
  await fc.assert(
    fc.asyncProperty(value, space, pieceBytes, async (given, between, bytes) => {
      const text = JSON.stringify(given, null, between);
      // Compared with the parsed text, not with the given value: -0 is written as 0.
      expect(await inTurns(text, bytes)).toEqual(JSON.parse(text));
    }),
    { numRuns: 1_000 },
  );
});

test("a member that is given twice is refused if that is wanted, wherever the text is cut", async () => {
  const refusing = (text: string, bytes: number) =>
    parseInTurns(Buffer.from(text), { parse: JSON.parse, maxDepth: 64, pieceBytes: bytes, refusesTwice: true });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), value),
      fc.string(),
      value,
      pieceBytes,
      async (given, name, one, bytes) => {
        const members = Object.entries(given).filter(([other]) => other !== name);
        const written = members.map(([other, member]) => `${JSON.stringify(other)}:${JSON.stringify(member)}`);
        const own = `${JSON.stringify(name)}:${JSON.stringify(one)}`;
        const once = `[{${[own, ...written].join()}}]`;
        expect(await refusing(once, bytes)).toEqual(JSON.parse(once));
        const twice = `[{${[own, ...written, own].join()}}]`;
        await expect(refusing(twice, bytes)).rejects.toThrow(MemberTwice);
        expect(await inTurns(twice, bytes)).toEqual(JSON.parse(twice));
      },
    ),
    { numRuns: 500 },
  );
});

test("a long text within it is parsed in turns with the same result, whatever its characters", async () => {
  const unit = fc.constantFrom("a", "ä", "€", "😀", "\ud83d", "\ude00", "\n", '"', "\\", "\u0001");
  const long = fc.string({ unit, minLength: 20, maxLength: 200 });
  const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  await fc.assert(
    fc.asyncProperty(long, pieceBytes, async (given, bytes) => {
      const plain = JSON.stringify({ a: given, b: [given, 1] });
      for (const text of [plain, plain.replace(/[ä€\ud800-\udfff]/g, escaped)]) {
        expect(await inTurns(text, bytes)).toEqual(JSON.parse(text));
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a damaged text is refused at the same position as when it is parsed at once", async () => {
  const damage = fc.tuple(fc.nat(), fc.constantFrom(",", "]", "}", "[", "{", '"', ":", " ", "1", "\\", ""), fc.nat(2));
  await fc.assert(
    fc.asyncProperty(value, damage, pieceBytes, async (given, [place, put, taken], bytes) => {
      const text = JSON.stringify(given);
      const at = place % (text.length + 1);
      const damaged = text.slice(0, at) + put + text.slice(at + taken);
      const once = await read(() => JSON.parse(damaged));
      expect(await read(() => inTurns(damaged, bytes))).toEqual(once);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  "[1,]",
  "[,1]",
  "[1,,2]",
  '{"a":[1,2],}',
  "[[1,2]3]",
  "[[1,2],]",
  '{"a" [1,2]}',
  "[1,2}",
  "[1] 2",
  "1,2",
  "",
])("%s is not JSON", async (text) => {
  for (const bytes of [1, 2, 100]) await expect(inTurns(text, bytes)).rejects.toThrow(SyntaxError);
});

test("a member named __proto__ and a duplicate member are handled as when parsed at once", async () => {
  const text = '{"a":[1,2,3],"__proto__":{"b":[4,5,6]},"a":{"c":[7,8]}}';
  for (const bytes of [1, 5, 20]) {
    const parsed = await inTurns(text, bytes);
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  }
});

test("a text that is nested too deep is refused", async () => {
  await expect(inTurns("[".repeat(65) + "]".repeat(65), 8)).rejects.toThrow(TooDeep);
  await expect(inTurns("[".repeat(64) + "]".repeat(64), 8)).resolves.toBeInstanceOf(Array);
});

test("other work runs while a long text is parsed", async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  await inTurns(JSON.stringify({ list: Array(2_000).fill({ a: 1 }) }), 1_000);
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});

test.each([
  ["quotes", '\\"'],
  ["backslashes", "\\\\"],
  ["escapes", "\\u00e4"],
  ["halves of pairs", "\\ud83d\\ude00"],
  ["letters of several bytes", "Ж€"],
])("other work runs while a text of nothing but %s is searched and parsed", async (_what, unit) => {
  const text = `{"a":"${unit.repeat(100_000)}","b":1}`;
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const value = await parseInTurns(Buffer.from(text), { parse: JSON.parse, maxDepth: 10, pieceBytes: 4_096 });
  clearImmediate(next);
  expect(value).toEqual(JSON.parse(text));
  // Once to find the end of the text, once to parse it.
  expect(turns).toBeGreaterThan((1.5 * Buffer.byteLength(text)) / 4_096 / 1.1);
});
