import { expect, test } from "vitest";
import { erpOrder, httpErp } from "../../../../test/support/receivers/http-erp.ts";

const map = {
  number: "DocNum",
  dueDate: "Due",
  requests: {
    each: "Lines",
    map: {
      itemNumber: "Item",
      requestedAmount: "Qty",
      lotNumber: "Lot",
      requestExternalIdentifier: "Id",
      requestExternalData: { members: { bin: "Bin" } },
    },
  },
};

test("lines are identified by what stays the same, and the system's own id is kept in their data", async () => {
  const lineOf = (Id: number, Item: string) => ({ Id, Item, Qty: 1, Lot: "L1", Bin: "B" });
  const { query } = await httpErp(
    { operations: { listWorkOrders: { path: "/o", map, lineKey: ["itemNumber", "lotNumber"] } } },
    (_request, _response, position) => {
      const first = position === 1 ? 14 : 19;
      return [erpOrder("1", { Lines: [lineOf(first, "A"), lineOf(first + 1, "B"), lineOf(first + 2, "A")] })];
    },
  );
  const ids = async () => {
    const outcome = await query("listWorkOrders");
    const [order] = outcome.ok ? (outcome.data as { requests: Record<string, string>[] }[]) : [];
    return order?.requests.map((one) => [
      one["requestExternalIdentifier"],
      JSON.parse(one["requestExternalData"] ?? ""),
    ]);
  };
  expect(await ids()).toEqual([
    ["A/L1", { id: "14", bin: "B" }],
    ["B/L1", { id: "15", bin: "B" }],
    ["A/L1#2", { id: "16", bin: "B" }],
  ]);
  expect((await ids())?.map(([id]) => id)).toEqual(["A/L1", "B/L1", "A/L1#2"]);
});
