import { expect, test } from "vitest";
import type { Expectation } from "../contract/validate/problem.ts";
import { catalogue } from "../messages/catalogue.ts";
import { languages } from "../messages/languages.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "./fault.ts";

// A record, so that the compiler reports an expectation that is missing here.
const expectations: Record<Expectation, true> = {
  text: true,
  "filled-text": true,
  "visible-text": true,
  "likely-date": true,
  "whole-number": true,
  number: true,
  "exact-number": true,
  flag: true,
  list: true,
  "filled-list": true,
  object: true,
  present: true,
  "one-of": true,
  "at-least": true,
  "confirmed-amount": true,
  "one-member-of": true,
  date: true,
  image: true,
  unique: true,
  json: true,
  "utf-8": true,
  depth: true,
  "duplicate-member": true,
  "lone-surrogate": true,
  members: true,
  elements: true,
  length: true,
  "at-most": true,
  valid: true,
};

test.each(Object.keys(expectations) as Expectation[])("the expectation %s has words in every language", (expected) => {
  const message = problemText({ field: "requests[0].order", expected, detail: "1, 2", found: "9" });
  expect(Object.keys(catalogue)).toContain(message.key);
  for (const language of languages) expect(localise(message, language)).not.toMatch(/\{|^$/);
});

test("a problem says what is allowed and what was found", () => {
  const message = problemText({ field: "status", expected: "one-of", detail: "0, 1, 2", found: "99" });
  expect(localise(message, "en")).toBe("status: must be one of 0, 1, 2, not 99");
});

test("a date that cannot be read gets an example of one that can", () => {
  const message = problemText({ field: "dueDate", expected: "date", found: '"soon"' });
  expect(localise(message, "en")).toMatch(/^dueDate: must be a date or date-time such as .*, not "soon"$/);
});
