import { expect, test } from "vitest";
import { embeddedStore } from "../../../test/support/floor/embedded-store.ts";
import type { PushedStock } from "../../contract/pushes.ts";
import { pushStock } from "./push-work-order.ts";

function warehouse() {
  const { writer, reader } = embeddedStore();
  const push = pushStock({ database: writer, dates: { timeZone: "Europe/Zurich", timeOfDay: "06:00" } });
  return {
    push: (stock: PushedStock, receivedAt = 0) =>
      push(stock, { id: "evt_1", seq: 1, topic: "stock", payload: stock, receivedAt }),
    levels: () => reader.statement("SELECT location_name, lot_number, amount FROM stock ORDER BY 1, 2").all(),
  };
}
const total = (amount: number) => [{ location_name: "", lot_number: "", amount }];

test("a stock level is absolute: the next one replaces it", () => {
  const { push, levels } = warehouse();
  push({ itemNumber: "A", amount: 5 }, 1);
  push({ itemNumber: "A", amount: 3.5 }, 1);
  expect(levels()).toEqual(total(3.5));
});

test("locations and lots are counted each on their own", () => {
  const { push, levels } = warehouse();
  push({ itemNumber: "A", amount: 1 });
  push({ itemNumber: "A", amount: 2, locationName: "R1" });
  push({ itemNumber: "A", amount: 3, locationName: "R1", lotNumber: "L" });
  expect(levels()).toEqual([
    { location_name: "", lot_number: "", amount: 1 },
    { location_name: "R1", lot_number: "", amount: 2 },
    { location_name: "R1", lot_number: "L", amount: 3 },
  ]);
});

test("the newest count stays, whatever the order of arrival", () => {
  const { push, levels } = warehouse();
  push({ itemNumber: "A", amount: 2, asOf: "2026-03-01T10:00:00+01:00" });
  push({ itemNumber: "A", amount: 1, asOf: "2026-03-01T08:59:59Z" });
  expect(levels()).toEqual(total(2));
  push({ itemNumber: "A", amount: 4, asOf: "2026-03-01T09:00:01Z" });
  expect(levels()).toEqual(total(4));
});

test("a count without offset is read in the configured zone, one without a time at the configured time of day", () => {
  const { push, levels } = warehouse();
  push({ itemNumber: "A", amount: 2, asOf: "2026-03-01T04:59:59Z" });
  push({ itemNumber: "A", amount: 3, asOf: "2026-03-01" });
  expect(levels()).toEqual(total(3));
  push({ itemNumber: "A", amount: 4, asOf: "2026-03-01 05:59" });
  expect(levels()).toEqual(total(3));
});

test("a level without a time of count counts as of its arrival", () => {
  const { push, levels } = warehouse();
  push({ itemNumber: "A", amount: 2, asOf: "2026-03-01T08:00:00Z" });
  push({ itemNumber: "A", amount: 1 }, Date.parse("2026-03-01T07:00:00Z"));
  expect(levels()).toEqual(total(2));
  push({ itemNumber: "A", amount: 1 }, Date.parse("2026-03-01T09:00:00Z"));
  expect(levels()).toEqual(total(1));
});
