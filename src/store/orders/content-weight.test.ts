import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line } from "../../../test/support/floor/floor.ts";
import { contentWeight } from "./content-weight.ts";

test("an order weighs as much as its lines, and long texts weigh as well, also in members that nobody knows", () => {
  const requests = [line("A", 1), line("B", 2)];
  expect(contentWeight(workOrder({ number: "N", requests }))).toBe(3);
  const text = "x".repeat(50_000);
  expect(contentWeight(workOrder({ number: "N", requests, externalData: text }))).toBe(53);
  expect(contentWeight({ ...workOrder({ number: "N", requests }), own: [{ text }] } as never)).toBe(53);
});
