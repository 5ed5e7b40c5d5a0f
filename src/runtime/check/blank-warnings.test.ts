import { expect, test } from "vitest";
import type { Preview } from "../../sdk/connector.ts";
import { blankWarnings } from "./blank-warnings.ts";

const preview = (mapped: object): Preview => ({
  serves: "workOrders",
  raw: {},
  mapped,
  problems: [],
  sourceOf: (field) => (field === "number" ? "NO" : undefined),
});

test("blanks at the ends of an identifier are warned of once for each member, with the value as it is", () => {
  const orders = ["A1   ", "A2   "].map((number) => preview({ number, requests: [{ itemNumber: " I1" }] }));
  expect(blankWarnings(orders)).toEqual([
    expect.stringMatching(/^workOrders: number \(from NO\) is "A1 {3}", with blanks at its ends.*`trim: true`/),
    expect.stringContaining('requests[0].itemNumber is " I1"'),
  ]);
});

test("other texts may begin and end with blanks, and identifiers may have them inside", () => {
  expect(blankWarnings([preview({ number: "A 1", comment: " hello " })])).toEqual([]);
});
