import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { operations } from "../../src/contract/operations.ts";
import { pushes } from "../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const map = {
  number: "Id",
  dueDate: { from: "Due", date: "dd.MM.yyyy" },
  requests: { each: "Line", map: { itemNumber: "Sku", requestedAmount: { from: "Qty", number: true } } },
};
const config = {
  basePath: "/wms",
  senders: {
    shop: { auth: { kind: "apiKey", keys: ["shop-key-0123456789"] }, topics: ["workOrders", "stock"] },
    erp: { auth: { kind: "basic", users: [{ username: "erp", password: "erp-password-1" }] } },
    gone: { auth: { kind: "apiKey", keys: ["gone-key-0123456789"] }, enabled: false },
  },
  inbound: [
    {
      path: "/hooks/orders",
      sender: "shop",
      topic: "workOrders",
      records: "data.orders",
      map: { ...map, requests: { ...map.requests, each: "Lines" } },
    },
    {
      path: "/hooks/orders",
      method: "PUT",
      sender: ["erp", "shop"],
      topic: "workOrders",
      format: "xml",
      records: "Orders.Order",
      map,
      answer: { status: 200, body: '<ok count="{accepted}">{id}</ok>', contentType: "application/xml" },
    },
    { path: "/hooks/stock", sender: "shop", topic: "stock", format: "csv", badRecords: "quarantine" },
    { path: "/hooks/form", topic: "items", format: "form" },
    { path: "/hooks/payload", topic: "stock", format: "form", records: "payload.levels", badRecords: "quarantine" },
    {
      path: "/hooks/answer",
      topic: "items",
      limitMiB: 0.001,
      answer: { body: { status: "ok", first: "{id}", all: "{ids}", said: "{count} came, {unchanged} known" } },
    },
    { path: "/hooks/partial", topic: "workOrders", badRecords: "quarantine" },
  ],
};

let adapter: Awaited<ReturnType<typeof startAdapter>>;
beforeAll(async () => {
  adapter = await startAdapter({ config, onFinished: () => {} });
});
afterAll(() => adapter.close());

interface Call {
  readonly method?: string;
  readonly type?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}
async function push(
  path: string,
  body: string,
  { method = "POST", type = "application/json", key = apiKey, headers = {} }: Call = {},
) {
  const response = await fetch(adapter.url + path, {
    method,
    body,
    headers: { "x-api-key": key, "content-type": type, ...headers },
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined, headers: response.headers };
}
const shop = { key: "shop-key-0123456789" };
const order = (number: string, changes: object = {}) => ({
  ...{ number, dueDate: "2030-01-31T00:00:00Z", requests: [{ itemNumber: "A", requestedAmount: 2 }] },
  ...changes,
});
const found = async (Code: string) => (await adapter.client.findWorkOrderByCode({ Code, StorageName: "Main" })).data;
/** The answer as it is written: a client would round long numbers. */
const scanned = async (code: string) => (await fetch(`${adapter.url}/WorkOrders/Code?Code=${code}`)).text();

describe("what a route of the configuration takes", () => {
  test("JSON whose records stand at a path, mapped by rules", async () => {
    const body = { data: { orders: [{ Id: 81, Due: "31.01.2030", Lines: [{ Sku: "A", Qty: "2" }] }] } };
    expect(await push("/hooks/orders", JSON.stringify(body), shop)).toMatchObject({
      status: 202,
      json: { ids: [expect.any(String)] },
    });
    expect(await found("81")).toMatchObject({
      dueDate: "2030-01-31T00:00:00Z",
      requests: [{ itemNumber: "A", requestedAmount: 2 }],
    });
  });

  test("a number with more digits than a number keeps, without rounding it", async () => {
    const text = (number: string, more: string) =>
      `{"number":"${number}","dueDate":"2030-01-31T00:00:00Z","requests":[{"itemNumber":"A","requestedAmount":2}],${more}}`;
    const taken = await push(
      "/inbound/work-orders",
      text("L1", '"erpId":12345678901234567890,"externalData":{"id":9007199254740993}'),
    );
    expect(taken.status).toBe(202);
    expect(await found("L1")).toMatchObject({ externalData: '{"id":9007199254740993}' });
    expect(await scanned("L1")).toContain('"erpId":12345678901234567890');
    await push("/inbound/work-orders", text("L4", '"far":1e400,"near":{"deep":[-1E-400]}'));
    expect(await scanned("L4")).toContain('"far":1e400,"near":{"deep":[-1E-400]}');
    const numbers = (last: number) => push("/inbound/work-orders", text("L5", `"erpId":900719925474099${last}`));
    await numbers(2);
    await numbers(3);
    expect(await scanned("L5")).toContain('"erpId":9007199254740993');
    const whole = text("L2", '"note":1').replace('"requestedAmount":2', '"requestedAmount":1.0000000000000001');
    const refused = await push("/inbound/work-orders", whole);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("1.0000000000000001");
    const numbered = await push("/inbound/work-orders", text("L3", '"note":1').replace('"L3"', "12345678901234567890"));
    expect(numbered.status).toBe(400);
    expect(numbered.text).toContain("12345678901234567890");
    const mapped =
      '{"data":{"orders":[{"Id":12345678901234567890,"Due":"31.01.2030","Lines":[{"Sku":9007199254740993,"Qty":2}]}]}}';
    expect((await push("/hooks/orders", mapped, shop)).status).toBe(202);
    expect(await found("12345678901234567890")).toMatchObject({ requests: [{ itemNumber: "9007199254740993" }] });
    const rounded = mapped.replace('"Qty":2', '"Qty":1.0000000000000001');
    expect((await push("/hooks/orders", rounded, shop)).text).toContain("1.0000000000000001");
    const item = '{"number":"L4","weight":0.3333333333333333333333}';
    expect((await push("/inbound/items", item)).status).toBe(202);
    expect((await adapter.client.getItem({ number: "L4" })).data).toMatchObject({ weight: 1 / 3 });
  });

  test("XML of a sender with a password, answered as that sender requires", async () => {
    const xml =
      "<Orders><Order><Id>0082</Id><Due>31.01.2030</Due><Line><Sku>007</Sku><Qty>3</Qty></Line></Order></Orders>";
    const headers = { authorization: `Basic ${Buffer.from("erp:erp-password-1").toString("base64")}`, "x-api-key": "" };
    const answer = await push("/hooks/orders", xml, { method: "PUT", type: "text/xml; charset=utf-8", headers });
    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/^<ok count="1">evt_[\w-]+<\/ok>$/) });
    expect(answer.headers.get("content-type")).toBe("application/xml");
    expect(await found("0082")).toMatchObject({ requests: [{ itemNumber: "007", requestedAmount: 3 }] });
  });

  test("CSV by its headings, the good rows without the bad ones", async () => {
    const { status, json } = await push("/hooks/stock", "Artikelnummer;Bestand\nA-1;3,5\nA-2;viel\nA-3;1\n", {
      ...shop,
      type: "text/csv",
    });
    expect(status).toBe(202);
    expect(json.results).toMatchObject([
      { index: 0, id: json.ids[0] },
      { index: 1, id: json.ids[1] },
      { row: 3, problems: [{ field: "Bestand", text: expect.stringContaining("viel") }] },
    ]);
  });

  test("a form, whose texts become what the table asks for", async () => {
    const type = "application/x-www-form-urlencoded";
    expect((await push("/hooks/form", "number=F-1&name=Bohrer+gr%C3%BCn&weight=1.5", { type })).status).toBe(202);
    expect((await adapter.client.getItem({ number: "F-1" })).data).toMatchObject({ name: "Bohrer grün", weight: 1.5 });
  });

  test("a form or XML with one name in two spellings is refused: one of the values would be lost", async () => {
    const type = "application/x-www-form-urlencoded";
    const form = await push("/hooks/form", "number=F-2&name=a&NAME=b", { type });
    expect([form.status, form.text]).toEqual([400, expect.stringContaining("name and NAME are one name given twice")]);
    const xml = "<Orders><Order><Id>7</Id><ID>8</ID></Order></Orders>";
    const sent = await push("/hooks/orders", xml, { ...shop, method: "PUT", type: "text/xml" });
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining("Id and ID are one name given twice")]);
  });

  test("JSON inside a field of a form", async () => {
    const body = new URLSearchParams({
      payload: JSON.stringify({ levels: [{ itemNumber: "A", amount: 1 }, { amount: 2 }] }),
    });
    const { status, json } = await push("/hooks/payload", body.toString(), {
      type: "application/x-www-form-urlencoded",
    });
    expect(status).toBe(202);
    expect(json.results).toEqual([
      { index: 0, id: json.ids[0] },
      { index: 1, problems: [{ field: "itemNumber", text: expect.stringMatching(/^itemNumber: is missing/) }] },
    ]);
  });

  test("a large body in the thread for large bodies, in the same way", async () => {
    const orders = Array.from({ length: 3000 }, (_, index) => ({
      Id: `L${index}`,
      Due: "31.01.2030",
      Lines: [{ Sku: "A", Qty: index === 7 ? "no" : 1 }],
    }));
    const body = JSON.stringify({ data: { orders } });
    expect(body.length).toBeGreaterThan(150_000);
    const { status, json } = await push("/hooks/orders", body, shop);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      errorCount: 1,
      results: [{ index: 7, problems: [{ source: expect.stringContaining("Qty") }] }],
    });
    expect(Object.keys(json.errors)).toEqual(["[7].requests[0].requestedAmount"]);
  });
});

describe("how it answers", () => {
  test("with a body made of ids and counts", async () => {
    const { json } = await push("/hooks/answer", JSON.stringify([{ number: "I-1" }, { number: "I-2" }]));
    expect(json).toEqual({
      status: "ok",
      first: json.all[0],
      all: [expect.any(String), expect.any(String)],
      said: "2 came, 0 known",
    });
    const again = await push("/hooks/answer", JSON.stringify([{ number: "I-1" }, { number: "I-3" }]));
    expect(again.json).toMatchObject({ first: json.first, said: "2 came, 1 known" });
  });

  test("with every element in its place where bad ones are left out", async () => {
    const { status, json } = await push(
      "/hooks/partial",
      JSON.stringify([order("P-0", { dueDate: "soon" }), order("P-1"), order("P-2", { requests: [] }), order("P-3")]),
    );
    expect(status).toBe(202);
    expect(json.results).toMatchObject([
      { index: 0, problems: [{ field: "dueDate" }] },
      { index: 1, id: json.ids[0] },
      { index: 2, problems: [{ field: "requests" }] },
      { index: 3, id: json.ids[1] },
    ]);
    expect([await found("P-0"), (await found("P-1"))?.number]).toEqual([null, "P-1"]);
  });

  test("400 where nothing was good, and nothing is stored", async () => {
    expect(await push("/hooks/partial", JSON.stringify([order("Q-1", { requests: [] })]))).toMatchObject({
      status: 400,
    });
  });

  test("the default routes name each bad element too, and take none", async () => {
    const { status, json } = await push(pushes.workOrders.path, JSON.stringify([order("R-1"), order("", {})]));
    expect([status, json.errors["[1].number"]]).toEqual([400, ["[1].number: must not be empty"]]);
    expect(json.results).toEqual([{ index: 1, problems: [{ field: "number", text: "number: must not be empty" }] }]);
    expect(await found("R-1")).toBeNull();
  });

  test.each([
    ["a body that is no JSON", "/hooks/orders", "{", 400],
    ["a body without the records", "/hooks/orders", '{"data":{}}', 400],
    ["a body above the limit of the route", "/hooks/answer", JSON.stringify({ number: "x".repeat(2000) }), 413],
    ["a path of another method", "/hooks/partial", "GET", 405],
    ["a path that is no route", "/hooks/none", "{}", 404],
  ])("%s is refused", async (_name, path, body, status) => {
    const response = body === "GET" ? await fetch(adapter.url + path) : await push(path, body);
    expect(response.status).toBe(status);
  });

  test.each([
    ["another method", "/hooks/orders", "PATCH", 405, "POST, PUT"],
    ["no route at all", "/hooks/none", "POST", 404, null],
  ])(
    "a body of any kind for %s is told that, not that it should be JSON",
    async (_name, path, method, status, allow) => {
      const answer = await push(path, "<Orders/>", { method, type: "text/xml" });
      expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
    },
  );
});

describe("who may use it", () => {
  test("only the senders it names, and the API key", async () => {
    const body = JSON.stringify({ data: { orders: [] } });
    const headers = { authorization: `Basic ${Buffer.from("erp:erp-password-1").toString("base64")}`, "x-api-key": "" };
    expect((await push("/hooks/orders", body, { headers })).json).toMatchObject({
      status: 403,
      detail: expect.stringContaining("erp may not use this route"),
    });
    expect((await push("/hooks/orders", body)).status).toBe(202);
    expect((await push("/hooks/form", "number=1", shop)).json).toMatchObject({
      status: 403,
      detail: expect.stringContaining("may not push items"),
    });
    expect((await push("/hooks/orders", body, { key: "gone-key-0123456789" })).json).toMatchObject({
      status: 403,
      detail: "The sender gone is switched off.",
    });
    expect((await push("/hooks/orders", body, { key: "nobody" })).status).toBe(401);
  });
});

test("a new configuration brings routes and takes them away without a restart", async () => {
  const { url, reload } = await startAdapter({ config: { inbound: [{ path: "/a", topic: "items" }] } });
  const send = (path: string) =>
    fetch(url + path, {
      method: "POST",
      body: '{"number":"1"}',
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
    });
  expect([(await send("/a")).status, (await send("/b")).status]).toEqual([202, 404]);
  await reload({ inbound: [{ path: "/b", topic: "items" }] });
  expect([(await send("/a")).status, (await send("/b")).status]).toEqual([404, 202]);
});

const route = { path: "/hooks/x", topic: "items" };
test.each([
  ["a route of the contract", { ...route, path: operations.listWorkOrders.path }, "a route of the platform's contract"],
  [
    "an item number of the contract",
    { ...route, path: "/items/7", method: "PUT" },
    "a route of the platform's contract",
  ],
  ["a default route", { ...route, path: "/Inbound/Stock" }, "a route of the adapter itself"],
  ["the routes of operators", { ...route, path: "/admin/x" }, "a route of the adapter itself"],
  ["an unknown sender", { ...route, sender: "shop" }, 'there is no sender named "shop"'],
  ["a sender without that topic", { ...route, sender: "one" }, "one may not push items"],
  ["a rule that is wrong", { ...route, map: { number: { from: "a", round: "sideways" } } }, "sideways"],
  ["a member that is not there", { ...route, map: { nummer: "a" } }, "nummer"],
  ["a placeholder that is not there", { ...route, answer: { body: { x: "{idz}" } } }, "there is no placeholder {idz}"],
  ["rows of what has none", { ...route, groupBy: "a" }, "only a CSV body with a mapping"],
  ["a limit above that of all", { ...route, limitMiB: 65 }, "no body may be larger"],
])("%s is an error of the configuration", async (_name, wrong, text) => {
  const folder = temporaryFolder();
  const senders = { one: { auth: { kind: "apiKey", keys: ["one-key-0123456789"] }, topics: ["stock"] } };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ senders, inbound: [wrong] }));
  await expect(loadConfig({ env: {}, cwd: folder })).rejects.toThrow(text);
});

test("the same path twice is an error of the configuration, with another method it is none", async () => {
  const folder = temporaryFolder();
  const load = (second: object) => {
    writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ inbound: [route, { ...route, ...second }] }));
    return loadConfig({ env: {}, cwd: folder });
  };
  await expect(load({ path: "/HOOKS/x" })).rejects.toThrow("is defined twice");
  await expect(load({ method: "PUT" })).resolves.toBeDefined();
});

test("the journal says who pushed, in its lists, in an entry and in the order's history", async () => {
  const body = { data: { orders: [{ Id: "S-77", Due: "31.01.2030", Lines: [{ Sku: "A", Qty: "2" }] }] } };
  const [id] = (await push("/hooks/orders", JSON.stringify(body), shop)).json.ids;
  await push(pushes.cancellations.path, '{"workOrderNumber":"S-77"}', { headers: { "idempotency-key": "c-77" } });
  const admin = async (path: string) => {
    const found = await fetch(`${adapter.url}/admin/${path}`, { headers: { "x-api-key": apiKey } });
    return found.text();
  };
  expect(JSON.parse(await admin(`journal/${id}`))).toMatchObject({ sender: "shop", operator: null });
  expect(JSON.parse(await admin("journal?sender=shop&order=S-77")).entries).toMatchObject([{ id, sender: "shop" }]);
  expect(JSON.parse(await admin("journal?order=S-77")).entries).toMatchObject([{ sender: "key" }, { id }]);
  const history = await admin("orders/S-77/timeline?format=text");
  expect(history).toMatch(/ERP → +workOrders: .*, by shop \[/);
  expect(history).toMatch(/ERP → +cancellations: .*, by key \[/);
});

test("only what brings something new counts as a push that came: not an empty list, nor what was known", async () => {
  const { url } = await startAdapter();
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  for (const body of ["[]", '{"number":"A"}', '{"number":"A"}', '[{"number":"A"}]']) {
    expect((await fetch(url + pushes.items.path, { method: "POST", headers, body })).status).toBe(202);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(/crossdock_pushes_total\{topic="items"\} (\d+)/.exec(metrics)?.[1]).toBe("1");
});
