import { expect, test } from "vitest";
import { describeLoss, rangesText } from "./describe-loss.ts";

test("every kind of loss is named, with what has to be done about it", () => {
  const lines = describeLoss({
    entries: [
      { from: 301, to: 312 },
      { from: 400, to: 400 },
    ],
    contents: [{ from: 77, to: 90 }],
    skipped: [{ from: 80, to: 81 }],
    tables: [{ table: "quantity", where: ["rows after R-12 0 up to R-15 3"], found: 4 }],
    leftOutPages: 1,
  });
  expect(lines).toEqual([
    expect.stringMatching(/^Entries lost: 301 to 312, 400 \(13\)\. .* by hand$/),
    "Entries whose content is lost: 77 to 90 (14)",
    expect.stringMatching(/they are skipped: 80 to 81 \(2\)\. .* by hand$/),
    "Table quantity: lost, if there were any: rows after R-12 0 up to R-15 3, but 4 of them were found in other pages",
    "Push the orders, items and stock levels of these tables again",
    expect.stringMatching(/left out: 1$/),
  ]);
  expect(describeLoss(null)).toEqual([]);
});

test("many ranges are shortened, and their count is not", () => {
  const ranges = Array.from({ length: 60 }, (_, nth) => ({ from: 2 * nth, to: 2 * nth }));
  expect(rangesText(ranges)).toMatch(/98, … \(60\)$/);
});
