import { expect, test } from "vitest";
import { erpOrder, httpErp, orderMap } from "../../../../test/support/receivers/http-erp.ts";
import type { QueryOptions } from "../options/operation-options.ts";

const lines = [
  { Item: "A", Qty: 1, State: "Assigned" },
  { Item: "B", Qty: 2, State: "done" },
  { Item: "C", Qty: 3 },
];
const orders = [
  erpOrder("1", { State: "open", Lines: lines }),
  erpOrder("2", { State: "done", Lines: lines }),
  erpOrder("3", { State: "Open", Lines: lines, Site: { Code: "N" } }),
];

async function listed(own: Partial<QueryOptions>) {
  const { query } = await httpErp(
    { operations: { listWorkOrders: { path: "/orders", map: orderMap, ...own } } },
    () => orders,
  );
  const outcome = await query("listWorkOrders");
  return outcome.ok ? (outcome.data as { number: unknown; requests: { itemNumber: string }[] }[]) : [];
}

test.each<[string, QueryOptions["where"], string[]]>([
  ["a value, in any letter case", { State: "open" }, ["1", "3"]],
  ["another value", { State: { not: "open" } }, ["2"]],
  ["a nested member that is filled", { "Site.Code": { filled: true } }, ["3"]],
  ["all conditions together", { State: ["open", "done"], "Site.Code": { filled: false } }, ["1", "2"]],
  ["an expression", '= State = "done" or Site.Code = "N"', ["2", "3"]],
])("records of a list pass by %s", async (_name, where, numbers) => {
  expect((await listed(where === undefined ? {} : { where })).map(({ number }) => number)).toEqual(numbers);
});

test.each<[string, unknown, string[]]>([
  ["a list of values", { State: ["assigned", "draft"] }, ["A"]],
  ["an object", { State: { filled: false } }, ["C"]],
  ["an expression", '= Qty > 1 and State != "done" or $parent.DocNum = "x"', []],
  ["an expression over the order", '= Qty > 1 and $parent.State = "open"', ["B", "C"]],
])("lines pass by %s", async (_name, where, items) => {
  const map = { ...orderMap, requests: { ...orderMap.requests, where } };
  const [first] = await listed({ map });
  expect(first?.requests.map(({ itemNumber }) => itemNumber)).toEqual(items);
});

test("a record of which an expression cannot say is neither served nor lost: it carries the reason", async () => {
  const [first] = await listed({ where: "= State" });
  expect(first?.number).toEqual({ problem: '`where` gives "open" instead of true or false' });
});
