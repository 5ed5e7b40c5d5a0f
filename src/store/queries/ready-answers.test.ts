import { expect, test } from "vitest";
import { readyAnswers } from "./find-work-order-by-code.ts";

test("beyond the count the answer longest unused goes first", () => {
  const answers = readyAnswers<number>({ maxCount: 2, maxBytes: 1000 });
  answers.keep("a", 1, 10);
  answers.keep("b", 2, 10);
  answers.get("a");
  answers.keep("c", 3, 10);
  expect(["a", "b", "c"].map(answers.get)).toEqual([1, undefined, 3]);
});

test("beyond the bytes as many go as are needed, the key counting too", () => {
  const answers = readyAnswers<number>({ maxCount: 100, maxBytes: 100 });
  answers.keep("a", 1, 40);
  answers.keep("b", 2, 40);
  answers.keep("c".repeat(50), 3, 40);
  expect(answers.get("a")).toBeUndefined();
  expect(answers.get("b")).toBeUndefined();
  expect(answers.get("c".repeat(50))).toBe(3);
});

test("an answer larger than all the room is not kept and pushes nothing out", () => {
  const answers = readyAnswers<number>({ maxCount: 100, maxBytes: 100 });
  answers.keep("a", 1, 40);
  answers.keep("b", 2, 400);
  expect(answers.get("a")).toBe(1);
  expect(answers.get("b")).toBeUndefined();
});

test("an answer given anew counts once", () => {
  const answers = readyAnswers<number>({ maxCount: 100, maxBytes: 100 });
  for (let i = 0; i < 50; i++) answers.keep("a", i, 40);
  answers.keep("b", 2, 40);
  expect(answers.get("a")).toBe(49);
});

test("after a drop nothing is left, and all the room is there again", () => {
  const answers = readyAnswers<number>({ maxCount: 100, maxBytes: 100 });
  answers.keep("a", 1, 90);
  answers.drop();
  expect(answers.get("a")).toBeUndefined();
  answers.keep("b", 2, 90);
  expect(answers.get("b")).toBe(2);
});
