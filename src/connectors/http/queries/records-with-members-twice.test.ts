import { expect, test } from "vitest";
import { answered, erpOrder, httpErp, orderMap } from "../../../../test/support/receivers/http-erp.ts";
import { sourceRecordOf } from "../../../mapping/source-record.ts";
import { type AnyOutcome, ListInParts } from "../../../operation/outcome.ts";
import type { QueryOptions } from "../options/operation-options.ts";

const list: QueryOptions = { path: "/orders", records: "data", map: orderMap };

/** An ERP that answers these texts, one after the other. */
async function erp(operations: Record<string, QueryOptions>, ...texts: string[]) {
  const left = [...texts];
  return await httpErp({ operations }, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(left.shift() ?? '{"data":[]}');
    return answered;
  });
}

async function ordersOf(outcome: AnyOutcome): Promise<unknown[]> {
  if (!outcome.ok) throw new Error(outcome.result);
  if (!(outcome.data instanceof ListInParts)) return outcome.data as unknown[];
  const all: unknown[] = [];
  for await (const part of outcome.data.parts) all.push(...part);
  return all;
}

async function listed(own: Partial<QueryOptions>, ...texts: string[]) {
  const { query } = await erp({ listWorkOrders: { ...list, ...own } }, ...texts);
  return await ordersOf(await query("listWorkOrders"));
}

const twiceIn = (order: object, member: string, value: unknown = null) =>
  JSON.stringify(order).replace(`"${member}":`, `"${member}":${JSON.stringify(value)},"${member}":`);
const data = (...records: string[]) => `{"data":[${records.join(",")}]}`;
const good = (number: string, members: object = {}) => JSON.stringify(erpOrder(number, members));
const problem = (member: string) => ({
  problem: `${member} is given twice, so it can be read in two ways; let the source send it once`,
});

test.each([
  ["few", 3, ""],
  ["many", 250, ""],
  ["many long", 250, "x".repeat(2_000)],
])("of %s orders only the one with a member twice is bad, and it keeps its number", async (_many, count, Text) => {
  const texts = Array.from({ length: count }, (_, index) => good(`N-${index}`, { Text }));
  texts[1] = twiceIn(erpOrder("N-1", { Text }), "Qty", 7);
  const orders = await listed({}, data(...texts));
  expect(orders).toHaveLength(count);
  expect(orders.map((order) => Reflect.get(order as object, "number"))).toEqual(texts.map((_, index) => `N-${index}`));
  const bad = orders.filter((order) => !Array.isArray(Reflect.get(order as object, "requests")));
  expect(bad).toEqual([{ number: "N-1", dueDate: "2026-03-01", requests: problem("Lines[0].Qty") }]);
  expect(sourceRecordOf(bad[0])?.record).toEqual({ ...erpOrder("N-1", { Text }), Lines: [{ Item: "00420" }] });
});

test.each<[string, string, Partial<QueryOptions>, object]>([
  ["that a rule reads", twiceIn(erpOrder("1"), "Due", "2026-04-01"), {}, { number: "1", dueDate: problem("Due") }],
  ["that no rule reads", twiceIn(erpOrder("1", { Memo: 1 }), "Memo"), {}, { number: "1", requests: problem("Memo") }],
  ["that is the number", twiceIn(erpOrder("1"), "DocNum", "2"), {}, { number: problem("DocNum") }],
  [
    "within data",
    twiceIn(erpOrder("1", { Data: { a: 1 } }), "a"),
    { map: { ...orderMap, externalData: "Data" } },
    { number: "1", requests: problem("Data.a") },
  ],
  [
    "beside the number, in the same object",
    '{"Head":{"DocNum":"1","Due":"2026-03-01","Memo":1,"Memo":2},"Lines":[{"Item":"00420","Qty":2}]}',
    { map: { ...orderMap, number: { from: ["Head.DocNum", "DocNum"] }, dueDate: { from: ["Head.Due", "Due"] } } },
    { number: "1", requests: problem("Head.Memo") },
  ],
  [
    "that is the first choice for the number",
    twiceIn(erpOrder("1", { Ref: "0" }), "DocNum", "2"),
    { map: { ...orderMap, number: { from: ["DocNum", "Ref"] } } },
    { number: problem("DocNum") },
  ],
  [
    "that the number is calculated from",
    twiceIn(erpOrder("1"), "DocNum", "2"),
    { map: { ...orderMap, number: '= "A-" & DocNum' } },
    { number: problem("DocNum") },
  ],
])("an order with a member twice %s is bad", async (_what, text, own, expected) => {
  expect(await listed(own, data(good("0"), text))).toMatchObject([{}, expected]);
});

test("an order of which `where` cannot say whether it is wanted is bad, too", async () => {
  const orders = data(good("1", { State: "open" }), good("2", { State: "done" }), twiceIn(erpOrder("3"), "Due"));
  for (const where of [{ State: "open" }, '= State = "open"']) {
    expect(await listed({ where }, orders)).toMatchObject([{ number: "1" }, { number: "3", dueDate: problem("Due") }]);
  }
});

test("an order that is not wanted in any case is left out, though it has a member twice", async () => {
  const orders = data(good("1", { State: "open" }), twiceIn(erpOrder("2", { State: "done" }), "Due"));
  expect(await listed({ where: { State: "open" } }, orders)).toMatchObject([{ number: "1" }]);
});

test("a member of details that is named like the total of the list concerns only its order", async () => {
  const page = { by: "page", param: "page", total: "total" } as const;
  const detailed = twiceIn(erpOrder("1", { total: 5 }), "Due");
  const orders = await listed({ page, detail: { path: "/one" } }, '{"total":1,"data":[{"Id":1}]}', detailed);
  expect(orders).toMatchObject([{ number: "1", dueDate: problem("Due") }]);
});

test("with details, an order is bad if they have a member twice, and so is one that cannot be asked for", async () => {
  const detail = { path: "/orders/{record.Id}" };
  const { query, requests } = await erp(
    { listWorkOrders: { ...list, detail } },
    data('{"Id":1}', '{"Id":2,"DocNum":"2","Id":3}', '{"Id":4}'),
    good("1"),
    twiceIn(erpOrder("4"), "Due"),
  );
  const orders = await ordersOf(await query("listWorkOrders"));
  expect(orders).toMatchObject([
    { number: "1", dueDate: "2026-03-01" },
    { number: "2", requests: problem("Id") },
    { number: "4", dueDate: problem("Due") },
  ]);
  expect(requests.map(({ pathname }) => pathname).sort()).toEqual(["/orders", "/orders/1", "/orders/4"]);
});

test("a member twice on one of several pages concerns this order only, and the pages go on", async () => {
  const page = { by: "cursor", param: "after", path: "next" } as const;
  const orders = await listed(
    { page },
    `{"next":2,"data":[${twiceIn(erpOrder("1"), "Due")}]}`,
    `{"next":3,"data":[${twiceIn(erpOrder("2"), "Due")}]}`,
    data(good("3")),
  );
  expect(orders).toMatchObject([{ number: "1" }, { number: "2" }, { number: "3", dueDate: "2026-03-01" }]);
});

test.each<[string, string, Partial<QueryOptions>]>([
  ["the mark of the next page", `{"next":1,"next":2,"data":[${good("1")}]}`, {}],
  ["the list itself", `{"data":[],"data":[${good("1")}]}`, {}],
  ["the total", `{"total":1,"data":[${good("1")}],"total":9}`, {}],
  [
    "a record that has the mark of the next page",
    `{"data":[{"DocNum":"1","DocNum":"1"}]}`,
    { page: { by: "cursor", param: "after", path: "data[0].DocNum" } },
  ],
  [
    "details, beside the record",
    `{"ok":1,"ok":0,"order":${good("1")}}`,
    { detail: { path: "/one", records: "order" } },
  ],
])("%s that is given twice refuses the whole list", async (_what, text, own) => {
  const texts = own.detail === undefined ? [text] : [data(good("1")), text];
  const { query, faultOf } = await erp({ listWorkOrders: { ...list, ...own } }, ...texts);
  expect(await faultOf(query("listWorkOrders"))).toMatchObject({
    kind: "rejected",
    message: expect.stringMatching(/of its JSON is given twice/),
  });
});

test.each<[string, Partial<QueryOptions>]>([
  ["a success must not have", { success: { absent: "data.error" } }],
  ["a refusal has", { refusals: [{ path: "data.error" }] }],
  ["means that there is none", { notFound: { path: "data.error" } }],
])("an answer with a member that %s is no record, though it is given twice", async (_what, own) => {
  const answer = '{"data":{"error":"locked","error":"locked"}}';
  const { query, faultOf } = await erp({ listWorkOrders: { ...list, ...own } }, answer);
  expect(await faultOf(query("listWorkOrders"))).toMatchObject({
    kind: "rejected",
    message: expect.stringMatching(/data\.error of its JSON is given twice/),
  });
});

test.each<[string, string, QueryOptions, object]>([
  ["a scan", "findWorkOrderByCode", { ...list, query: { code: "{code}" } }, { Code: "1", StorageName: null }],
  ["a scan among all orders", "findWorkOrderByCode", list, { Code: "1", StorageName: null }],
  ["an item", "getItem", { path: "/items/{number}", records: "data" }, { number: "1" }],
])("%s is refused if any record has a member twice", async (_what, id, options, input) => {
  const { query, faultOf } = await erp({ [id]: options }, data(good("1"), twiceIn(erpOrder("2"), "Due")));
  // One of the queries of the table above.
  const fault = await faultOf(query(id as "getItem", input));
  expect(fault).toMatchObject({
    kind: "rejected",
    message: expect.stringMatching(/data\[1\]\.Due of its JSON is given/),
  });
});
