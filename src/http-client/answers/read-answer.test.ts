import { expect, test } from "vitest";
import { longestStall, workedMs } from "../../../test/support/longest-stall.ts";
import { readAnswer, readLongAnswer } from "./read-answer.ts";
import type { Answer } from "./read-body.ts";

const answerOf = (body: Buffer, type = "application/json"): Answer => ({
  ...{ status: 200, headers: { "content-type": type }, body, unread: null, maxAnswerBytes: 2 ** 30 },
});
const orders = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    number: `Ä-${index}`,
    id: `12345678901234567${index}`,
    lines: [1.5, null],
  }));
const text = JSON.stringify({ page: 1, orders: orders(10_000), next: null });
const long = Buffer.from(text);

test.each([
  ["JSON", answerOf(long)],
  ["JSON with a byte order mark", answerOf(Buffer.from(`\ufeff${text}`))],
  ["JSON in another charset", answerOf(Buffer.from(text, "latin1"), "application/json; charset=iso-8859-1")],
  ["JSON that is cut off", answerOf(long.subarray(0, -1))],
  ["JSON that is nested too deep", answerOf(Buffer.from("[".repeat(200_000)))],
  ["JSON with a long number", answerOf(Buffer.from(text.replace("1.5", "12345678901234567890")))],
  ["a page", answerOf(Buffer.from(`<html>${text}`), "text/html")],
  ["spaces", answerOf(Buffer.alloc(200_000, " "))],
])("a long answer of %s is read with the same result as a short one", async (_what, answer) => {
  expect(await readLongAnswer(answer)).toEqual(readAnswer(answer));
});

const twice = "is given twice, so it can be read in two ways";

test.each([
  ["at the top", '{"a":1,"b":2,"a":1}', `the member a of its JSON ${twice}`],
  ["deep inside", '{"data":[{},{"lines":[{"no":1,"no":2}]}]}', `the member data[1].lines[0].no of its JSON ${twice}`],
  ["by an escape", String.raw`{"number":1,"n\u0075mber":2}`, `the member number of its JSON ${twice}`],
  ["as an object", '{"a":{"b":1},"a":{"c":2}}', `the member a of its JSON ${twice}`],
  ["named __proto__", '{"__proto__":1,"__proto__":2}', `the member __proto__ of its JSON ${twice}`],
])("an answer with a member twice %s cannot be used", async (_where, sent, flaw) => {
  expect(readAnswer(answerOf(Buffer.from(sent)))).toMatchObject({ json: undefined, flaw });
  expect(await readLongAnswer(answerOf(Buffer.from(sent)))).toMatchObject({ json: undefined, flaw });
});

test.each([
  ["in one of its records", text.replace('"lines":[1.5,null]}', '"lines":[1.5,null],"id":"7"}'), "orders[0].id"],
  ["before and after a long list", `{"page":2,${text.slice(1)}`, "page"],
  ["as two long lists", `{"orders":${JSON.stringify(orders(5_000))},${text.slice(1)}`, "orders"],
])("a long answer with a member twice %s cannot be used", async (_where, sent, name) => {
  const read = await readLongAnswer(answerOf(Buffer.from(sent)));
  expect(read).toMatchObject({ json: undefined, flaw: `the member ${name} of its JSON ${twice}` });
  expect(readAnswer(answerOf(Buffer.from(sent)))).toEqual(read);
});

test("names that differ in their letter case are different, and so are equal names of different objects", () => {
  const sent = '{"id":1,"ID":2,"a:b":{"id":3},"list":[{"id":4},{"id":"x:y"}]}';
  expect(readAnswer(answerOf(Buffer.from(sent)))).toMatchObject({ json: JSON.parse(sent), flaw: null });
});

test("names that are written with escapes are read as they are, whatever was read before", async () => {
  // V8 compares how a name is written with the names that have followed the same members before, if they are few.
  const read = async (members: string, rest: string) => {
    const { json, flaw } = await readLongAnswer(answerOf(Buffer.from(`[{"first there":1,${members}}${rest}]`)));
    expect(flaw).toBe(null);
    return Object.entries((json as object[])[0] ?? {}).slice(1);
  };
  for (const rest of ["", `,"${"x".repeat(200_000)}"`]) {
    await read(String.raw`"Stra\\u":1,"x":1`, rest);
    expect(await read(String.raw`"Stra\u00dfe":2,"Stra\\u":3`, rest)).toEqual(
      Object.entries({ Straße: 2, "Stra\\u": 3 }),
    );
    expect(await read(String.raw`"Stra\u00dfe":2,"x":3`, rest)).toEqual(Object.entries({ Straße: 2, x: 3 }));
  }
});

test("a long answer lets other requests run while it is read", async () => {
  const stalls: number[] = [];
  const readings: number[] = [];
  for (let run = 0; run < 3; run++) {
    const startedMs = workedMs();
    readAnswer(answerOf(long));
    readings.push(workedMs() - startedMs);
    stalls.push((await longestStall(() => readLongAnswer(answerOf(long)))).stallMs);
  }
  expect(Math.min(...stalls)).toBeLessThan(Math.min(...readings) / 2);
});
