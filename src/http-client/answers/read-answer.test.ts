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
