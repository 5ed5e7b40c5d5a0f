import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { delivery, deliveryContext } from "../../test/support/connectors/delivery.ts";
import { type ErpAnswer, httpErp } from "../../test/support/receivers/http-erp.ts";
import { type HttpOptions, httpOptions, mergeOptions } from "../connectors/http/options/options.ts";
import { validateOptions } from "../connectors/http/options/validate-options.ts";
import { UnitOfMeasure, WorkOrderStatus } from "../contract/enums.ts";
import { validator } from "../contract/validate/validator.ts";
import { checkMapped } from "../mapping/compile-mapping.ts";
import type { LineView } from "../operation/event-subject.ts";
import type { AnyOutcome } from "../operation/outcome.ts";
import type { CallContext } from "../sdk/connector.ts";
import { presets } from "./catalogue.ts";
import type { Preset } from "./preset.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../test/fixtures/presets/${name}.json`, import.meta.url), "utf8"));
const odoo = fixture("odoo");
const next = fixture("erpnext");
const central = fixture("business-central");
const sap = fixture("sap-business-one");
const shipments = fixture("tryton");

/** The options that a person has to add to a preset, filled with its examples. */
function given({ requiredOptions }: Preset): object {
  return requiredOptions.reduce<object>((options, { option, example }) => {
    return mergeOptions(
      options,
      option.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), example),
    ) as object;
  }, {});
}

test.each(presets)("the options of $name are complete with its required options", (preset) => {
  const own = { ...given(preset), preset: preset.name };
  const whole = mergeOptions(preset.options, own);
  const checks = validator(httpOptions);
  expect(checks.isValid(whole) ? [] : checks.problems(whole)).toEqual([]);
  // The line above has checked it.
  expect(validateOptions(own as HttpOptions)).toEqual([]);
});

const isOf = (method: string) => (json: unknown) => JSON.stringify(json).includes(`"${method}"`);
const odooAnswer = (path: string, json: unknown): unknown => {
  const text = `${path} ${JSON.stringify(json)}`;
  if (text.includes("product.product")) return odoo["item"];
  if (text.includes("web_search_read")) return odoo["orders"];
  return text.includes("search_read") ? [{ id: 41 }] : true;
};

const mockOrder = {
  ...{
    number: "5001",
    customer: { name: "Huber Bakery", city: "Graz" },
    due: "2030-01-31",
    warehouse: "Main",
    wave: null,
  },
  lines: [{ line: 10, item: "200100", qty: 3 }],
};

const systems: Record<string, ErpAnswer> = {
  "mock-erp": ({ pathname }) =>
    pathname.startsWith("/items/")
      ? { data: { number: "200100", name: "Claw hammer", grams: 680 } }
      : { data: { items: [mockOrder], total: 1 } },
  "odoo-json2": ({ pathname, json }) => odooAnswer(pathname, json),
  "odoo-jsonrpc": ({ pathname, json }) => ({ jsonrpc: "2.0", id: 1, result: odooAnswer(pathname, json) }),
  erpnext: ({ pathname, query }) => {
    if (Number(query["limit_start"] ?? 0) > 0) return { data: [] };
    if (pathname.startsWith("/api/resource/Item/")) return next["item"];
    return pathname.startsWith("/api/resource/Sales%20Order/") ? next["order"] : next["list"];
  },
  "business-central": ({ pathname }) => {
    if (pathname === "/token") return { access_token: "t", expires_in: 3599 };
    return pathname.includes("/items") ? central["item"] : central["orders"];
  },
  tryton: ({ json }) => shipments[JSON.stringify(json).includes("product.product.") ? "item" : "orders"],
  "sap-business-one": ({ pathname }, response) => {
    if (pathname === "/Login") response.setHeader("set-cookie", ["B1SESSION=s1; HttpOnly"]);
    if (pathname === "/Login") return sap["login"];
    return pathname.startsWith("/Items") ? sap["item"] : sap["orders"];
  },
};

async function opened(name: string) {
  const preset = presets.find((one) => one.name === name);
  if (preset === undefined) throw new Error(`there is no preset ${name}`);
  let tokenUrl = "";
  const { baseUrl: _address, ...own } = given(preset) as { baseUrl: string };
  const answer = systems[name] ?? (() => ({}));
  if (name !== "business-central") return httpErp({ ...own, preset: name } as Partial<HttpOptions>, answer);
  // Here the token comes from the same server, whose address is unknown until it listens.
  const tokens = await httpErp({}, answer);
  tokenUrl = `${tokens.baseUrl}/token`;
  return httpErp(mergeOptions({ ...own, preset: name }, { auth: { tokenUrl } }) as Partial<HttpOptions>, answer);
}

const served = (id: "workOrders" | "items", mapped: unknown) => checkMapped(id, mapped, dates);
const ordersOf = (outcome: AnyOutcome) =>
  outcome.ok ? (outcome.data as unknown[]).map((one) => served("workOrders", one)) : outcome;

const step = {
  workOrderNumber: "4711",
  workOrderExternalIdentifier: "812",
  requestId: 7,
  requestExternalIdentifier: "311",
  requestAmountInBaseUnitOfMeasure: 10,
  requestRemainingAmountInBaseUnitOfMeasure: 8,
  itemNumber: "A",
  amountToConfirmPickingSummary: {
    containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: 3 }, { amountToConfirmInBaseUnitOfMeasure: 1 }],
  },
};

test.each(presets)("the orders of $name become valid orders of the contract", async ({ name }) => {
  const { query } = await opened(name);
  const orders = ordersOf(await query("listWorkOrders"));
  expect(orders).toEqual(
    expect.arrayContaining([{ record: expect.objectContaining({ requests: expect.anything() }) }]),
  );
  expect(JSON.stringify(orders)).not.toContain('"problem');
});

test.each<[string, object]>([
  [
    "odoo-json2",
    {
      number: "WH/OUT/00041",
      dueDate: "2026-03-03T16:00:00Z",
      deliveryNumber: "S00041",
      requests: [
        { itemNumber: "FURN_7777", requestedAmount: 4, requestExternalIdentifier: "311" },
        { itemNumber: "00420", unitOfMeasure: UnitOfMeasure.Meter },
      ],
    },
  ],
  ["odoo-jsonrpc", { number: "WH/OUT/00041", externalIdentifier: "41" }],
  [
    "erpnext",
    {
      number: "SAL-ORD-2026-00007",
      dueDate: "2026-03-02T00:00:00Z",
      requests: [{ itemNumber: "SKU-00042", requestedAmount: 6 }, { requestedAmount: 3 }],
    },
  ],
  [
    "business-central",
    {
      number: "101001",
      dueDate: "2026-02-21T00:00:00Z",
      requests: [{ itemNumber: "1996-S", requestedAmount: 12, unitOfMeasure: UnitOfMeasure.Piece }],
    },
  ],
  [
    "sap-business-one",
    {
      number: "4711",
      externalIdentifier: "812",
      requests: [{ itemNumber: "A00001", requestedAmount: 5, requestExternalIdentifier: "0" }],
    },
  ],
  [
    "tryton",
    {
      number: "OUT000002",
      externalIdentifier: "2",
      requests: [
        { itemNumber: "PART-10", requestedAmount: 12, requestExternalIdentifier: "11/0/12" },
        { itemNumber: "CABLE-18", requestedAmount: 1500, unitOfMeasure: UnitOfMeasure.Centimeter },
      ],
    },
  ],
])("the first order of %s has the number, date and lines of the ERP", async (name, expected) => {
  const { query } = await opened(name);
  expect(ordersOf(await query("listWorkOrders"))).toMatchObject({ 0: { record: expected } });
});

test("an order without deadline or origin takes the planned date and no delivery number", async () => {
  const { query } = await opened("odoo-json2");
  const second = ordersOf(await query("listWorkOrders"));
  expect(second).toMatchObject({
    1: { record: { number: "WH/OUT/00042", dueDate: "2026-03-02T10:00:00Z", description: "Deco Addict" } },
  });
  expect(JSON.stringify(second)).not.toContain("false");
});

test.each(presets)("an item of $name is a valid item of the contract", async ({ name }) => {
  const { query } = await opened(name);
  const outcome = await query("getItem", { number: "x" });
  expect(outcome.ok && served("items", outcome.data)).toMatchObject({
    record: { number: expect.any(String), name: expect.any(String) },
  });
});

test.each<[string, string, (requests: { path: string; json: unknown }[]) => boolean]>([
  [
    "odoo-json2",
    "a domain",
    (all) => all.some(({ path, json }) => path === "/json/2/stock.picking/web_search_read" && isOf("x' or 1")(json)),
  ],
  [
    "odoo-jsonrpc",
    "a domain",
    (all) => all.some(({ path, json }) => path === "/jsonrpc" && isOf("x' or 1")(json) && isOf("execute_kw")(json)),
  ],
  ["erpnext", "a filter", (all) => decodeURIComponent(all[0]?.path ?? "").includes(`["name","=","x' or 1"]`)],
  ["business-central", "a filter", (all) => decodeURIComponent(all[0]?.path ?? "").includes("number eq 'x'' or 1'")],
  [
    "sap-business-one",
    "a filter",
    (all) => decodeURIComponent(all[1]?.path ?? "").includes("(DocNum eq -1 or NumAtCard eq 'x'' or 1')"),
  ],
])("a scanned code reaches %s inside %s and nowhere else", async (name, _place, isThere) => {
  const { query, requests } = await opened(name);
  await query("findWorkOrderByCode", { Code: "x' or 1", StorageName: "Main" });
  expect(isThere(requests)).toBe(true);
});

test.each<[string, object]>([
  [
    "odoo-json2",
    { method: "POST", pathname: "/json/2/stock.move/write", json: { ids: [311], vals: { quantity: 6, picked: true } } },
  ],
  [
    "odoo-jsonrpc",
    {
      pathname: "/jsonrpc",
      json: {
        params: {
          args: [
            "production",
            2,
            "ODOO_API_KEY",
            "stock.move",
            "write",
            [[311]],
            { vals: { quantity: 6, picked: true } },
          ],
        },
      },
    },
  ],
  [
    "erpnext",
    {
      pathname: "/api/resource/Comment",
      json: { reference_name: "4711", content: expect.stringMatching(/^A: 6 picked/) },
    },
  ],
  [
    "business-central",
    {
      method: "PATCH",
      pathname: expect.stringMatching(/salesOrderLines\(311\)$/),
      headers: { "if-match": "*", authorization: "Bearer t" },
      json: { shipQuantity: 6 },
    },
  ],
  [
    "sap-business-one",
    {
      method: "PATCH",
      pathname: "/Orders(812)",
      headers: { cookie: "B1SESSION=s1" },
      json: { DocumentLines: [{ LineNum: 311, U_Picked: 6 }] },
    },
  ],
])("a confirmed step is sent to %s as the amount picked in all", async (name, expected) => {
  const { connector, requests } = await opened(name);
  // Only the identity of a step is required, and the operation's type requires no more.
  await connector.operations.confirmStep?.(step as never, stepOf({ pickedAmount: 6 }));
  expect(requests.at(-1)).toMatchObject(expected);
});

/** A confirmed step, together with what the adapter knows about its line. */
const stepOf = (line: LineView): CallContext => ({
  ...deliveryContext({ topic: "confirmStep" }),
  findSubject: async () => ({ order: null, line }),
});

// The mock ERP accepts events unchanged. Tryton books in several steps, which a separate test runs against the real
// system.
const booking = presets.filter(({ name }) => name !== "mock-erp" && name !== "tryton");
const inMetres = { pickedAmount: 7, pickedAmountInBaseUnitOfMeasure: 7000, unitOfMeasure: UnitOfMeasure.Meter };

// What is sent to Tryton depends on several answers: see `tryton-booking.test.ts`.
const inOneRequest = booking.filter(({ name }) => name !== "tryton");

test.each(inOneRequest)("7 m that the platform confirms as 7,000 are booked in $name as 7", async ({ name }) => {
  const { connector, requests } = await opened(name);
  const shares = [{ amountToConfirmInBaseUnitOfMeasure: 7000 }];
  const metres = { ...step, amountToConfirmPickingSummary: { containersBreakdown: shares } };
  // Only the identity of a step is required.
  await connector.operations.confirmStep?.(metres as never, stepOf(inMetres));
  const sent = JSON.stringify(requests.at(-1)?.json).replaceAll(delivery().entryId, "ID");
  expect(sent).toMatch(/\b7\b/);
  expect(sent).not.toContain("7000");
});

test.each(booking)("an amount whose unit is not certain is not booked in $name", async ({ name }) => {
  const { connector, requests, faultOf } = await opened(name);
  const known: LineView = { pickedAmountInBaseUnitOfMeasure: 7000, unitOfMeasure: UnitOfMeasure.Meter };
  // Only the identity of a step is required.
  const fault = await faultOf(Promise.resolve(connector.operations.confirmStep?.(step as never, stepOf(known))));
  expect([fault.kind, fault.message]).toEqual(["rejected", expect.stringMatching(/required and has no value/)]);
  expect(requests.filter(({ pathname }) => pathname !== "/Login")).toEqual([]);
});

test.each<[string, object[]]>([
  [
    "odoo-json2",
    [
      { pathname: "/json/2/stock.picking/search_read" },
      { pathname: "/json/2/stock.picking/button_validate", json: { ids: [41] } },
    ],
  ],
  [
    "business-central",
    [
      { method: "GET" },
      { method: "POST", pathname: expect.stringMatching(/salesOrders\(960f5c9c-.*\)\/Microsoft\.NAV\.ship$/) },
    ],
  ],
])("a completed order is posted in %s, and any other status is not sent", async (name, expected) => {
  const { connector, requests } = await opened(name);
  const told = (status: WorkOrderStatus) =>
    connector.operations.changeStatus?.({ number: "4711", status }, deliveryContext({ topic: "changeStatus" }));
  await told(WorkOrderStatus.Paused);
  expect(requests).toEqual([]);
  await told(WorkOrderStatus.Completed);
  expect(requests).toMatchObject(expected);
});
