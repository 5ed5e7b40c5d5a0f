import { expect, test } from "vitest";
import { answered, erpOrder, httpErp, orderMap } from "../../../test/support/receivers/http-erp.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { say } from "../../messages/message.ts";
import { ok, refuse } from "../../operation/outcome.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const mapped = (number: string) => ({
  number,
  dueDate: "2026-03-01",
  requests: [{ itemNumber: "00420", requestedAmount: 2 }],
});
const list = { path: "/orders", records: "data", map: orderMap };
const scan = { path: "/orders", query: { code: "{code}", storage: "{StorageName}" }, records: "data", map: orderMap };

test("the list of orders is what the ERP has, mapped", async () => {
  const { query } = await httpErp({ operations: { listWorkOrders: list } }, () => ({
    data: [erpOrder("1"), erpOrder("2")],
  }));
  expect(await query("listWorkOrders")).toEqual(ok([mapped("1"), mapped("2")]));
});

test("an order that cannot be mapped is passed on with its problems, together with the good ones", async () => {
  const half = erpOrder("2", { Lines: [{ Item: "a", Qty: 2.5 }] });
  const { query } = await httpErp({ operations: { listWorkOrders: list } }, () => ({ data: [erpOrder("1"), half] }));
  const outcome = await query("listWorkOrders");
  expect(outcome).toMatchObject({
    data: [
      mapped("1"),
      {
        number: "2",
        requests: [{ requestedAmount: { problem: expect.stringMatching(/^2\.5 is not a whole number/) } }],
      },
    ],
  });
});

test("a scanned code is sent percent-encoded, whatever it contains", async () => {
  const codes = ["4711", "a/b?c#d", "100 %", "ä&x=1", "'; drop", "{code}", "%2F", "+", "\u0000"];
  const byPath = { path: "/orders/{code}/open", map: orderMap };
  const { query, requests } = await httpErp({ operations: { findWorkOrderByCode: byPath } }, () => erpOrder("x"));
  for (const Code of codes) await query("findWorkOrderByCode", { Code });
  expect(
    requests.map(({ pathname }) => decodeURIComponent(pathname.slice("/orders/".length, -"/open".length))),
  ).toEqual(codes);
});

test("a scanned code is looked for without blanks around it", async () => {
  const { query, requests } = await httpErp(
    {
      operations: {
        findWorkOrderByCode: { path: "/orders/{code}", map: orderMap },
        findPutWallOrders: { path: "/wall/{code}", records: "data", map: orderMap },
      },
    },
    ({ pathname }) => (pathname.startsWith("/wall/") ? { data: [erpOrder("4711")] } : erpOrder("4711")),
  );
  expect(await query("findWorkOrderByCode", { Code: " 4711\r\n" })).toEqual(ok(mapped("4711")));
  expect(await query("findPutWallOrders", { code: "\t4711 " })).toMatchObject({ data: [{ number: "4711" }] });
  expect(requests.map(({ pathname }) => pathname)).toEqual(["/orders/4711", "/wall/4711"]);
});

test.each(["..", ".", ""])("the code %j does not leave the configured path", async (Code) => {
  const byPath = { path: "/orders/{code}", map: orderMap };
  const { query, faultOf, requests } = await httpErp({ operations: { findWorkOrderByCode: byPath } }, () => ({}));
  expect((await faultOf(query("findWorkOrderByCode", { Code }))).kind).toBe("invalid");
  expect(requests).toEqual([]);
});

test("the scanned order is picked from a list of all open orders, on whichever page, and never taken because it is the only one", async () => {
  const numbers = ["4711", "4712", "4713"];
  const all = { path: "/open", records: "data", page: { by: "page" as const, param: "p", size: 1 }, map: orderMap };
  const { query, requests } = await httpErp({ operations: { findWorkOrderByCode: all } }, ({ query: { p } }) => ({
    data: numbers.slice(Number(p) - 1, Number(p)).map((number) => erpOrder(number)),
  }));
  expect(await query("findWorkOrderByCode", { Code: "4713" })).toEqual(ok(mapped("4713")));
  expect(requests.length).toBeGreaterThanOrEqual(3);
  expect(await query("findWorkOrderByCode", { Code: "4799" })).toMatchObject({ result: "WorkOrderDoesNotExist" });
  numbers.splice(1);
  expect(await query("findWorkOrderByCode", { Code: "4713" })).toMatchObject({ result: "WorkOrderDoesNotExist" });
});

test("a scanned code in single quotes cannot end the filter that contains it", async () => {
  const parameters = { $filter: "Number eq '{code}'" };
  const { query, requests } = await httpErp(
    { operations: { findWorkOrderByCode: { ...scan, query: parameters } } },
    () => ({
      data: [],
    }),
  );
  await query("findWorkOrderByCode", { Code: "x' or '1' eq '1" });
  expect(requests[0]?.query["$filter"]).toBe("Number eq 'x'' or ''1'' eq ''1'");
});

test("a filter written as a list is sent as JSON, and a scanned code cannot break out of it", async () => {
  const parameters = { filters: [["name", "=", "{code}"]], fields: ["*"] };
  const { query, requests } = await httpErp(
    { operations: { findWorkOrderByCode: { ...scan, query: parameters } } },
    () => ({
      data: [],
    }),
  );
  await query("findWorkOrderByCode", { Code: '"]],x' });
  expect(JSON.parse(requests[0]?.query["filters"] ?? "")).toEqual([["name", "=", '"]],x']]);
});

test("a body keeps the types of the values that fill it, and leaves out missing ones", async () => {
  const report = {
    method: "POST" as const,
    path: "/report",
    body: { numbers: "{workOrdersNumbers}", at: "storage {storageId}", none: "{language2}" },
  };
  const { query, requests } = await httpErp(
    { variables: { language2: "" }, operations: { getReport: report } },
    () => ({
      missingQuantities: {},
      placements: [],
    }),
  );
  await query("getReport", { workOrdersNumbers: ["1", "2"], storageId: "S", remainingRequests: {} });
  expect(requests[0]?.json).toEqual({ numbers: ["1", "2"], at: "storage S", none: "" });
});

test("a scan of an unknown code shows the operator the text of the ERP", async () => {
  const operations = { findWorkOrderByCode: { ...scan, errorText: "error.text" } };
  const { query } = await httpErp({ operations }, (_request, response) => {
    response.statusCode = 404;
    return { error: { text: "Auftrag unbekannt" } };
  });
  expect(await query("findWorkOrderByCode", { Code: "9" })).toEqual(
    refuse("WorkOrderDoesNotExist", "Auftrag unbekannt"),
  );
});

test.each([
  ["an empty list", { data: [] }, {}],
  ["a member that says so", { data: [], error: { code: "NF" } }, { notFound: { path: "error.code", equals: "NF" } }],
])("%s is an unknown code too", async (_name, answer, extra) => {
  const { query } = await httpErp({ operations: { findWorkOrderByCode: { ...scan, ...extra } } }, () => answer);
  const text = say("orders.unknown-code", { code: "9" });
  expect(await query("findWorkOrderByCode", { Code: " 9 " })).toEqual(refuse("WorkOrderDoesNotExist", text));
});

test("if a search finds several orders, only the one with exactly this code is started", async () => {
  const found = [erpOrder("47"), erpOrder("471"), erpOrder("4711")];
  const { query } = await httpErp({ operations: { findWorkOrderByCode: scan } }, () => ({ data: found }));
  expect(await query("findWorkOrderByCode", { Code: "471" })).toEqual(ok(mapped("471")));
  expect(await query("findWorkOrderByCode", { Code: "7" })).toMatchObject({ result: "WorkOrderDoesNotExist" });
});

test("if a search finds a single order, it is started although its number differs", async () => {
  const { query } = await httpErp({ operations: { findWorkOrderByCode: scan } }, () => ({ data: [erpOrder("1")] }));
  expect(await query("findWorkOrderByCode", { Code: "DELIVERY-9" })).toEqual(ok(mapped("1")));
});

test("an order of another storage is refused with the name of that storage", async () => {
  const map = { ...orderMap, designatedStorageName: "Store" };
  const operations = { findWorkOrderByCode: { ...scan, map } };
  const { query } = await httpErp({ operations }, () => ({ data: [erpOrder("1", { Store: "North" })] }));
  const text = say("orders.other-storage", { number: "1", storage: "North" });
  expect(await query("findWorkOrderByCode", { Code: "1", StorageName: "South" })).toEqual(
    refuse("WorkOrderDoesNotExist", text),
  );
  expect(await query("findWorkOrderByCode", { Code: "1", StorageName: "NORTH" })).toMatchObject({ ok: true });
});

test("an unknown put-wall code is a success without orders and with a text", async () => {
  const operations = { findPutWallOrders: { path: "/totes/{code}", map: orderMap } };
  const { query } = await httpErp({ operations }, (_request, response) => {
    response.statusCode = 404;
  });
  const message = say("orders.put-wall-unknown", { code: "T" });
  expect(await query("findPutWallOrders", { code: "T" })).toEqual(ok([], { message }));
});

test("a list that is not found means a wrong address, not an empty list", async () => {
  const { query, faultOf } = await httpErp({ operations: { listWorkOrders: list } }, (_request, response) => {
    response.statusCode = 404;
  });
  expect(await faultOf(query("listWorkOrders"))).toMatchObject({ kind: "rejected", operatorText: say("http.refused") });
});

test("an item is one record, and none is ItemDoesNotExist", async () => {
  const operations = { getItem: { path: "/items/{number}", map: { number: "Sku", name: "Title" } } };
  const { query } = await httpErp({ operations }, ({ pathname }, response) => {
    if (pathname === "/items/7") return { Sku: "7", Title: "Screw" };
    response.statusCode = 404;
  });
  expect(await query("getItem", { number: "7" })).toEqual(ok({ number: "7", name: "Screw" }));
  expect(await query("getItem", { number: "8" })).toEqual(refuse("ItemDoesNotExist"));
});

test.each([
  ["bytes", undefined, { "content-type": "image/png" }, png],
  [
    "Base64 in JSON",
    "file.data",
    { "content-type": "application/json" },
    JSON.stringify({ file: { data: png.toString("base64") } }),
  ],
  [
    "a data address in JSON",
    "file",
    { "content-type": "application/json" },
    JSON.stringify({ file: `data:image/png;base64,${png.toString("base64")}` }),
  ],
])("an image may come as %s", async (_name, records, headers, body) => {
  const own = { path: "/images/{number}", ...(records === undefined ? {} : { records }) };
  const { query } = await httpErp({ operations: { getItemImage: own } }, (_request, response) => {
    response.writeHead(200, headers).end(body);
    return answered;
  });
  expect(await query("getItemImage", { number: "7" })).toEqual(ok(png.toString("base64")));
});

test("an item without an image is ImageDoesNotExist, and an answer that is not an image is a fault", async () => {
  const own = { path: "/images/{number}", records: "data" };
  const { query, faultOf } = await httpErp({ operations: { getItemImage: own } }, ({ pathname }) => ({
    data: pathname.endsWith("1") ? null : "bm8=",
  }));
  expect(await query("getItemImage", { number: "1" })).toEqual(refuse("ImageDoesNotExist"));
  expect((await faultOf(query("getItemImage", { number: "2" }))).kind).toBe("rejected");
});

test.each([
  ["words in JSON", { "content-type": "application/json" }, '{"error":{"message":"No image of 1."}}'],
  ["a problem document", { "content-type": "application/problem+json" }, '{"title":"Not Found","status":404}'],
  ["a page", { "content-type": "text/html" }, "<h1>404</h1>"],
  ["nothing", {}, ""],
])("an image that is not found is ImageDoesNotExist, also where the answer is %s", async (_what, headers, body) => {
  const own = { path: "/images/{number}" };
  const { query } = await httpErp({ operations: { getItemImage: own } }, (_request, response) => {
    response.writeHead(404, headers).end(body);
    return answered;
  });
  expect(await query("getItemImage", { number: "1" })).toMatchObject({ ok: false, result: "ImageDoesNotExist" });
});

test("a report that does not fit the contract is not passed on", async () => {
  const { query, faultOf } = await httpErp(
    { operations: { getReport: { method: "POST" as const, path: "/r" } } },
    () => ({ missingQuantities: { a: "many" } }),
  );
  expect(
    (await faultOf(query("getReport", { workOrdersNumbers: [], storageId: "1", remainingRequests: {} }))).message,
  ).toMatch(/contract/);
});

test("after five failures in a row queries fail at once, and after a while one is let through again", async () => {
  const clock = manualClock();
  let isDown = true;
  const { query, faultOf, requests } = await httpErp(
    { operations: { listWorkOrders: list } },
    (_request, response) => {
      if (isDown) response.statusCode = 503;
      return { data: [] };
    },
    { clock },
  );
  for (let time = 0; time < 8; time++) expect((await faultOf(query("listWorkOrders"))).kind).toBe("unreachable");
  expect(requests).toHaveLength(5);
  isDown = false;
  clock.advance({ seconds: 5 });
  expect(await query("listWorkOrders")).toEqual(ok([]));
  expect(await Promise.all([query("listWorkOrders"), query("listWorkOrders")])).toEqual([ok([]), ok([])]);
});

test("an error that comes with status 200 is shown to the operator in the ERP's words", async () => {
  const { query, faultOf } = await httpErp(
    { success: { absent: "error" }, errorText: "error.data.message", operations: { listWorkOrders: list } },
    () => ({ error: { data: { message: "Access denied" } } }),
  );
  expect(await faultOf(query("listWorkOrders"))).toMatchObject({ kind: "rejected", operatorText: "Access denied" });
});

test("no secret gets into a fault, even where the ERP repeats it", async () => {
  const { query, faultOf } = await httpErp(
    {
      auth: { kind: "bearer", token: "tok-123456" },
      variables: { dbPassword: "var-987654" },
      operations: { listWorkOrders: list },
    },
    ({ headers }, response) => {
      response.statusCode = 400;
      return { message: `bad ${headers.authorization} var-987654` };
    },
  );
  const fault = await faultOf(query("listWorkOrders"));
  expect(JSON.stringify([fault.message, fault.operatorText, fault.answer])).not.toMatch(/tok-123456|var-987654/);
});

test("no number is changed: long ones keep their digits, and an amount with too many digits is refused", async () => {
  const operations = {
    getItem: { path: "/items/{number}", map: { number: "sku", name: { from: "ean", text: true }, weight: "kg" } },
    listWorkOrders: { path: "/orders", records: "data", map: orderMap },
  };
  const { query } = await httpErp({ operations }, ({ pathname }, response) => {
    const body =
      pathname === "/orders"
        ? JSON.stringify({ data: [erpOrder("1")] }).replace(/"Qty":\d+/, '"Qty":1.0000000000000001')
        : '{"sku":12345678901234567890,"ean":9007199254740993,"kg":0.333333333333333333}';
    response.writeHead(200, { "content-type": "application/json" }).end(body);
    return answered;
  });
  expect(await query("getItem", { number: "x" })).toMatchObject({
    data: { number: "12345678901234567890", name: "9007199254740993", weight: 1 / 3 },
  });
  const listed = JSON.stringify(await query("listWorkOrders"));
  expect(listed).toMatch(/1\.0000000000000001.{1,4}has more digits than a number keeps/);
});
