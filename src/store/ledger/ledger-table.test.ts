import { expect, test } from "vitest";
import { embeddedStore } from "../../../test/support/floor/embedded-store.ts";
import { openLedgerTable } from "./ledger-table.ts";

const plain = {
  ...{ orderNumber: "N", externalId: null, itemNumber: "A", lot: null, unit: 0 },
  ...{ intake: 1, designatedLocation: null, factor: 1, requested: 1 },
};

const withId = (requestId: number) => ({ requestId, externalId: null, itemNumber: null });

test("a ledger line that is not there is not booked into nothing", () => {
  const table = openLedgerTable(embeddedStore().writer);
  const [line] = table.add([{ ...plain, requestId: 7 }]);
  if (line === undefined) throw new Error("no ledger line");
  expect(() => table.book({ ...line, position: 1, picked: 1 })).toThrow(/not there/);
  table.book({ ...line, picked: 1 });
  expect(table.meant("N", withId(7))).toMatchObject([{ picked: 1 }]);
});

test("one look finds the ledger line with the id, and those without one that the names may mean", () => {
  const table = openLedgerTable(embeddedStore().writer);
  table.add([
    { ...plain, requestId: 7, itemNumber: "A" },
    { ...plain, requestId: 8, itemNumber: "A" },
    { ...plain, requestId: null, itemNumber: "A" },
    { ...plain, requestId: null, itemNumber: "B", externalId: "x" },
    { ...plain, requestId: null, itemNumber: "B" },
  ]);
  const positions = table.meant("N", { requestId: 7, externalId: "x", itemNumber: "A" }).map((line) => line.position);
  expect(positions).toEqual([0, 2, 3]);
});

test("ids of lines that equal positions of others, or are below 0, or as high as may be, keep to themselves", () => {
  const table = openLedgerTable(embeddedStore().writer);
  const ids = [1, 0, -1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  for (const line of table.add(ids.map(() => ({ ...plain, requestId: null })))) {
    const requestId = ids[line.position] ?? null;
    table.bind({ ...line, requestId, picked: line.position });
  }
  const [late] = table.add([{ ...plain, requestId: null }]);
  expect(late?.position).toBe(ids.length);
  expect(ids.map((id) => table.meant("N", withId(id))[0]?.picked)).toEqual([0, 1, 2, 3, 4]);
});
