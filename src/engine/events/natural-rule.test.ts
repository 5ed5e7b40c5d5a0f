import { expect, test } from "vitest";
import { naturalRule } from "./repeat-rule.ts";

test("an order and its cancellation have one key, and count as repeats only if nothing has happened to the order since", () => {
  const order = naturalRule("workOrders", { number: "7", payload: {} });
  expect(order).toEqual(naturalRule("cancellations", { number: "7", payload: {} }));
  expect(order).toMatchObject({ when: "always", undisturbedIn: ["wo:7"] });
});

test("a stock level without a time never counts as older, and each place has its own levels", () => {
  expect(naturalRule("stock", { number: "A", payload: {} })).toBeUndefined();
  const at = (locationName: string | null, lotNumber?: string) =>
    naturalRule("stock", { number: "A", payload: { asOf: "2030-01-01T00:00:00Z", locationName, lotNumber } })?.key;
  expect(new Set([at(null), at("R1"), at("R1", "L"), at(null, "L")]).size).toBe(4);
});
