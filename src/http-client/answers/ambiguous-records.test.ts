import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Document,
  document,
  type Member,
  memberName,
  placesTwice,
  valueOnce,
  written,
} from "../../../test/support/json/members-twice.ts";
import { byForm } from "../../../test/support/long-form.ts";
import { AmbiguousRecord, withAmbiguousRecords } from "./ambiguous-records.ts";
import { readLongAnswer } from "./read-answer.ts";
import type { Answer } from "./read-body.ts";

const answerOf = (text: string): Answer => ({
  ...{ status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(text) },
  ...{ unread: null, maxAnswerBytes: 2 ** 30 },
});

async function read(text: string, records: string | undefined, others: readonly string[] = []) {
  const answer = answerOf(text);
  return await withAmbiguousRecords(answer, await readLongAnswer(answer), { records, others });
}

/** Longer than what is parsed at once. */
const long = `"padding":"${"x".repeat(150_000)}",`;

/** A record as the naive reference has it. */
function expectedRecord(given: Document): unknown {
  const [first] = placesTwice(given);
  return first === undefined ? valueOnce(given) : new AmbiguousRecord(valueOnce(given), first);
}

test.each([
  ["short", ""],
  ["long", long],
])(
  "in a %s list, exactly the records with a member twice are ambiguous; one twice beside them spoils all",
  async (_size, pad) => {
    const beside = fc.array(fc.tuple(memberName, document), { maxLength: 2 });
    const runs = { gate: pad === "" ? 300 : 60, long: 2_000 };
    await fc.assert(
      fc.asyncProperty(beside, fc.array(document, { maxLength: 5 }), beside, async (before, records, after) => {
        const members: readonly Member[] = [...before, ["data", records], ...after];
        const { json, flaw } = await read(written({ members }).replace("{", `{${pad}`), "data");
        const others = members.filter(([name]) => name !== "data");
        const isSpoiled =
          new Set(members.map(([name]) => name)).size < members.length ||
          others.some(([, value]) => placesTwice(value).length > 0);
        if (isSpoiled) expect([json, flaw]).toEqual([undefined, expect.stringMatching(/is given twice/)]);
        else {
          expect(flaw).toBe(null);
          expect((json as { data: unknown }).data).toEqual(records.map(expectedRecord));
        }
      }),
      { numRuns: byForm(runs) },
    );
  },
);

const odd = (value: object, ...member: (string | number)[]) => new AmbiguousRecord(value, member);

test.each([
  ["the answer itself is the list", '[{"a":1},{"b":1,"a":1,"a":2}]', undefined, [{ a: 1 }, odd({ b: 1 }, "a")]],
  ["the list stands deep inside", '{"d":{"list":[{"a":1,"a":2}]}}', "d.list", { d: { list: [odd({}, "a")] } }],
  ["a list of one stands around it", '[{"list":[{"a":1,"a":2}]}]', "list", [{ list: [odd({}, "a")] }]],
  ["its name has dots", '{"d.list":[{"a":1,"a":2}]}', "d.list", { "d.list": [odd({}, "a")] }],
  ["a record is there as an object", '{"d":{"a":1,"a":2,"b":3}}', "d", { d: odd({ b: 3 }, "a") }],
  ["the answer is the record", '{"a":1,"a":2,"b":3}', undefined, odd({ b: 3 }, "a")],
  ["a member is there three times", '[{"a":1,"a":2,"a":3,"b":4}]', undefined, [odd({ b: 4 }, "a")]],
  [
    "one of two objects has a member twice",
    '[{"a":{"x":1,"x":2},"a":{"y":1},"b":{"y":1,"y":1}}]',
    undefined,
    [odd({ b: {} }, "a", "x")],
  ],
])("the record is found if %s", async (_where, text, path, json) => {
  expect(await read(text, path)).toMatchObject({ json, flaw: null });
  expect((await read(text, path)).json).toEqual(json);
});

test.each([
  ["beside the list", '{"next":1,"next":2,"data":[{"a":1,"a":2}]}', "data", "next"],
  ["that is the list", '{"data":[{"a":1}],"data":[{"a":1}]}', "data", "data"],
  ["around the list", '{"d":{"data":[]},"d":{"data":[{"a":1,"a":1}]}}', "d.data", "d"],
  ["in another list", '{"data":[],"other":[{"a":1,"a":2}]}', "data", "other[0].a"],
  ["of an answer without the list", '{"other":[{"a":1,"a":2}]}', "data", "other[0].a"],
])("a member twice %s is named, and nothing is read", async (_where, text, path, member) => {
  const { json, flaw } = await read(text, path);
  expect(json).toBeUndefined();
  expect(flaw).toBe(`the member ${member} of its JSON is given twice, so it can be read in two ways`);
});

test("an answer is refused if what is read besides the records lies in such a record", async () => {
  const text = '{"data":[{"id":1},{"id":2,"a":1,"a":2}]}';
  expect((await read(text, "data", ["data[0].id", "next"])).flaw).toBe(null);
  expect((await read(text, "data", ["data[1].id"])).flaw).toMatch(/is given twice/);
  expect((await read('{"data":[{"id":2,"id":2}]}', "data", ["data[0].id"])).flaw).toMatch(/is given twice/);
});

test("an answer with very many members twice stays refused, and so does one that is no JSON behind the first", async () => {
  const many = `[${Array.from({ length: 2_000 }, () => '{"a":1,"a":2}').join()}]`;
  expect((await read(many, undefined)).flaw).toMatch(/the member \[0\]\.a of its JSON is given twice/);
  const cut = `{${long}"data":[{"a":1,"a":2},{"b"`;
  expect((await read(cut, "data")).json).toBeUndefined();
  expect((await read(cut, "data")).flaw).not.toBe(null);
});
