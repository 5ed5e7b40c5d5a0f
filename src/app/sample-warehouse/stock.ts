import type { PushedStock } from "../../contract/pushes.ts";

/** The stock of each item: item, location, amount. */
const table: readonly (readonly [itemNumber: string, locationName: string, amount: number])[] = [
  ["100100", "M-01-01", 46],
  ["100110", "M-01-02", 120],
  ["100120", "M-01-03", 75],
  ["100200", "M-02-01", 310],
  ["100210", "M-02-02", 280],
  ["100220", "M-02-03", 195],
  ["100300", "M-03-01", 150],
  ["100310", "M-03-02", 34],
  ["100320", "A-01-01", 640],
  ["100400", "A-01-02", 260],
  ["100410", "A-02-01", 22],
  ["100500", "A-02-02", 8],
  // One item in both storages and one below its minimum, as in a real warehouse.
  ["100300", "A-02-03", 40],
  ["100500", "M-03-03", 1],
];

export const sampleStock = (nowMs: number): PushedStock[] =>
  table.map(([itemNumber, locationName, amount]) => ({
    itemNumber,
    locationName,
    amount,
    asOf: new Date(nowMs).toISOString(),
  }));
