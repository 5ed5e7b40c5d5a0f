import { expect, test } from "vitest";
import { redactor, secretMask } from "./resolve-text.ts";

test("a mask knows the length of its longest secret, those of the configuration before included", () => {
  const { mask, learn } = secretMask();
  expect(mask.longest).toBe(0);
  learn({ apiKey: "k".repeat(30) }, redactor(["r".repeat(20)]));
  expect(mask.longest).toBe(30);
  learn({ apiKey: "k".repeat(10) }, redactor([`${"r".repeat(40)}"`]));
  // As it stands in a JSON text.
  expect(mask.longest).toBe(42);
  learn({});
  expect(mask.longest).toBe(42);
  learn({});
  expect(mask.longest).toBe(0);
});
