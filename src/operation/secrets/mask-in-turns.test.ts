import { expect, test } from "vitest";
import { maskBodyByName } from "./mask-by-name.ts";
import { maskBodyInTurns } from "./mask-in-turns.ts";

const filler = (length: number) => Array.from({ length }, (_, index) => ({ number: `A-${index}`, amount: index }));
const texts = JSON.stringify({ password: "inner secret", rest: 'x, "y": z'.repeat(9_000), pwd: "second secret" });

test.each([
  ["short", { password: "a secret", n: 1 }],
  ["long", { lines: filler(9_000), password: "a secret", more: filler(9_000), token: "b secret" }],
  ["long in a text", { lines: filler(2_000), externalData: texts, more: filler(9_000) }],
  ["a long list of secrets", { a: "x".repeat(65_000), tokens: filler(9_000).map(({ number }) => `secret ${number}`) }],
  ["a secret with a comma at its end", { a: "x".repeat(65_500), password: `${"secret,".repeat(20)}`, n: 1 }],
])("a body that is %s is masked in turns as it is masked at once", async (_, body) => {
  const text = JSON.stringify(body);
  const masked = await maskBodyInTurns(text);
  expect(masked).toBe(maskBodyByName(text));
  expect(masked).not.toContain("secret");
  expect(() => JSON.parse(masked)).not.toThrow();
});

test("other requests run while a long body is masked", async () => {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await maskBodyInTurns(JSON.stringify(filler(30_000)));
  clearImmediate(next);
  expect(turns).toBeGreaterThan(8);
});
