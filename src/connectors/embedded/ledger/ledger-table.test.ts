import { expect, test } from "vitest";
import { embeddedStore } from "../../../../test/support/embedded-store.ts";
import { openLedgerTable } from "./ledger-table.ts";

const plain = {
  ...{ orderNumber: "N", externalId: null, itemNumber: "A", lot: null, unit: 0 },
  ...{ intake: 1, designatedLocation: null, factor: 1, requested: 1 },
};

test("an account that moved after it was read is not booked into nothing", () => {
  const table = openLedgerTable(embeddedStore().writer);
  const [line] = table.add([{ ...plain, requestId: null }]);
  if (line === undefined) throw new Error("no account");
  table.bind(line, { ...line, requestId: 7 });
  expect(() => table.book({ ...line, picked: 1 })).toThrow(/not where it was read/);
  table.book({ ...line, requestId: 7, picked: 1 });
  expect(table.byRequest("N", 7)?.picked).toBe(1);
});

test("ids of lines that equal positions of others, or are below 0, or as high as may be, keep to themselves", () => {
  const table = openLedgerTable(embeddedStore().writer);
  const ids = [1, 0, -1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  for (const line of table.add(ids.map(() => ({ ...plain, requestId: null })))) {
    const requestId = ids[line.position] ?? null;
    table.bind(line, { ...line, requestId, picked: line.position });
  }
  const [late] = table.add([{ ...plain, requestId: null }]);
  expect(late?.position).toBe(ids.length);
  expect(ids.map((id) => table.byRequest("N", id)?.picked)).toEqual([0, 1, 2, 3, 4]);
});
