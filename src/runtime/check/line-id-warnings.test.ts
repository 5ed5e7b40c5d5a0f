import { expect, test } from "vitest";
import type { Preview } from "../../sdk/connector.ts";
import { hasLineIds, lineIdWarnings } from "./line-id-warnings.ts";

const preview = (...requests: readonly object[]): Preview => ({
  serves: "workOrders",
  raw: {},
  mapped: { number: "4711", requests },
  problems: [],
  sourceOf: () => undefined,
});
const line = (itemNumber: string, id?: string | number, more: object = {}) => ({
  ...{ itemNumber, requestedAmount: 2, ...more },
  ...(id === undefined ? {} : { requestExternalIdentifier: id }),
});
const warningsOf = (first: Preview, second = first) => lineIdWarnings([first], [second]);

test("ids that stay the same and tell all lines apart are not warned of", () => {
  expect(warningsOf(preview(line("A", "1"), line("A", "2"), line("B", 3)))).toEqual([]);
  expect(warningsOf(preview(line("A"), line("B"), line("A", undefined, { lotNumber: "L" })))).toEqual([]);
});

test("ids that differ when the order is read again are warned of", () => {
  expect(warningsOf(preview(line("A", "1")), preview(line("A", "2")))).toEqual([
    expect.stringMatching(/order 4711 was 1 and, read again at once, 2: such ids are not stable\. Set `lineKey`/),
  ]);
});

test("an order that was changed between the two readings says nothing about its ids", () => {
  expect(warningsOf(preview(line("A", "1")), preview(line("A", "2", { requestedAmount: 1 })))).toEqual([]);
  expect(warningsOf(preview(line("A", "1")), preview())).toEqual([]);
  expect(lineIdWarnings([preview(line("A", "1"))], [])).toEqual([]);
});

test("two lines with one id, and one item on several lines without an id, are warned of", () => {
  expect(warningsOf(preview(line("A", "1"), line("B", "1")))).toEqual([
    expect.stringMatching(/two lines with the id 1/),
  ]);
  expect(warningsOf(preview(line("A"), line("A")))).toEqual([expect.stringMatching(/has A on several lines without/)]);
});

test("only orders whose lines have ids are worth a second reading", () => {
  expect(hasLineIds([preview(line("A"))])).toBe(false);
  expect(hasLineIds([preview(line("A", "1"))])).toBe(true);
  expect(hasLineIds([{ ...preview(line("A", "1")), serves: "items" }])).toBe(false);
});
