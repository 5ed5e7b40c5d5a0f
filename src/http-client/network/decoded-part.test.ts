import { expect, test } from "vitest";
import { decodedPart } from "./decoded-part.ts";

test("codes are decoded, and a percent sign that begins none stays", () => {
  expect(decodedPart("p%40ss%2Fw%C3%B6rd")).toBe("p@ss/wörd");
  expect(decodedPart("100%hook%40x")).toBe("100%hook@x");
  expect(decodedPart("%ff%zz%")).toBe("%ff%zz%");
});
