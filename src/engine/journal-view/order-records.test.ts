import { expect, test } from "vitest";
import { explanationText, type OrderExplanation } from "./order-records.ts";

type Line = OrderExplanation["lines"][number];

const line = (changes: Partial<Line>): Line => ({
  ...{ line: "L1", itemNumber: "100100", wanted: 8, unit: "Piece", factor: 1, cut: 0, picked: 2, tooMuch: 0 },
  orders: [{ number: "4711", shown: 5, picked: 2, target: 5 }],
  ...changes,
});

const textOf = (...lines: readonly Line[]): string =>
  explanationText({ order: "4711", orders: [{ number: "4711", state: "started" }], lines });

test("an explanation reads line by line: wanted, picked, and what each order shows and is to have", () => {
  const text = explanationText({
    order: "4711",
    orders: [
      { number: "4711", state: "started" },
      { number: "4711-F1", state: "waiting" },
    ],
    lines: [
      line({
        orders: [
          { number: "4711", shown: 5, picked: 2, target: 5 },
          { number: "4711-F1", shown: null, picked: 0, target: 3 },
        ],
      }),
    ],
  });
  expect(text).toBe(
    [
      "Order 4711: 4711 (started), 4711-F1 (waiting)",
      "",
      "Line L1 (100100)",
      "  wanted     8 Piece",
      "  picked     2",
      "  4711: the platform shows 5, 2 picked, is to have 5",
      "  4711-F1: the platform has not shown it yet, 0 picked, is to have 3",
    ].join("\n"),
  );
});

test("it says what is too much of the item and what the floor cut short", () => {
  const text = textOf(line({ wanted: 1, tooMuch: 3, cut: 2 }));
  expect(text).toContain("too much   3 over all lines of the item; the operator is told to put it aside");
  expect(text).toContain("cut short  2 on the floor; not asked for again");
});

test("it says how a unit is converted, or that this is in doubt and nothing is offered", () => {
  expect(textOf(line({ unit: "Meter", factor: 1000 }))).toContain("8 Meter, 8000 in the base unit (× 1000)");
  expect(textOf(line({ unit: "Meter", factor: 1 }))).toContain("wanted     8 Meter\n");
  const doubtful = line({
    unit: "Meter",
    factor: null,
    orders: [{ number: "4711", shown: 5, picked: 2, target: null }],
  });
  expect(textOf(doubtful)).toContain("8 Meter, base unit in doubt: nothing is offered");
  expect(textOf(doubtful)).toContain("no amount can be said");
});

test("an order without known lines says so", () => {
  expect(textOf()).toContain("No line of it is known.");
});
