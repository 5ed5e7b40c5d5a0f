import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCode, isOneOf } from "./narrow.ts";

test("a value that is found in a list gets the type of the list's values", () => {
  const kinds = ["order", "item"] as const;
  const given: unknown = "item";
  const known: "order" | "item" | null = isOneOf(kinds, given) ? given : null;
  expect(known).toBe("item");
  expect(isOneOf(kinds, "Item")).toBe(false);
  expect(isOneOf(kinds, undefined)).toBe(false);
});

test("an error of the system has a code, another one none", () => {
  const codeOf = (work: () => void) => {
    try {
      work();
    } catch (error) {
      return errorCode(error);
    }
  };
  expect(codeOf(() => readFileSync("/there/is/no/such/file"))).toBe("ENOENT");
  expect(errorCode(new Error("other"))).toBeUndefined();
  expect(errorCode(null)).toBeUndefined();
});
