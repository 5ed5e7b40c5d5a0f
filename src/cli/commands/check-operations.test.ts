// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

async function check(folder: string, ...argv: string[]) {
  const out: string[] = [];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    complain: (text) => out.push(text),
    isInteractive: true,
    colour: false,
    env: { TOKEN: "hunter2secret" },
    cwd: folder,
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  const code = await main(["check", ...argv], terminal);
  return { code, out: out.join("\n") };
}

const map = {
  number: "no",
  dueDate: { value: "2030-01-31" },
  requests: { each: "lines", map: { itemNumber: "item", requestedAmount: "qty" } },
};
const order = { no: "W-1", changed: "2026-01-01", lines: [{ item: "A-1", qty: 2 }] };

/** An ERP with a valid list and scan. The test provides its other answers. */
async function erp(operations: object, more: object = {}) {
  const { url, requests } = await receiver((response, { path }) => {
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (path.startsWith("/orders?")) return json(200, { data: [order, { ...order, no: "W-2" }] });
    if (path === "/orders") return json(200, [order]);
    if (path === "/paged") return json(200, { data: [order], links: { self: "/paged", next: "/paged?page=2" } });
    if (path === "/counted") return json(200, { data: [order], count: 7 });
    if (path === "/orders/W-1") return json(200, order);
    return json(path.startsWith("/broken") ? 500 : 404, { error: "no" });
  });
  const folder = temporaryFolder();
  const listWorkOrders = { path: "/orders", map };
  const connector = {
    ...{ type: "http", baseUrl: new URL(url).origin, headers: { "X-Key": "${TOKEN}" } },
    operations: { listWorkOrders, ...operations },
    ...more,
  };
  const config = { connectors: { erp: connector }, serve: { workOrders: "erp" }, events: { to: "erp" } };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify(config));
  return { folder, requests, origin: connector.baseUrl };
}
const attachWorkOrder = { path: "/attach/{workOrderNumber}", map: { box: "containerCode" } };

test("every query is tried, and an error names the query and the address", async () => {
  const { folder, requests, origin } = await erp({
    findWorkOrderByCode: { path: "/orders/{code}", map },
    getItem: { path: "/broken/{number}" },
    attachWorkOrder,
  });
  const { code, out } = await check(folder);
  expect(code).toBe(1);
  expect(out).toContain(`getItem: GET ${origin}/broken/A-1: `);
  expect(out).toMatch(/✓ erp, findWorkOrderByCode: the platform would get/);
  expect(requests.map(({ path }) => path)).toContain("/orders/W-1");
});

test("one kind of events is counted in the singular", async () => {
  const confirmPutWallPlacement = { path: "/placed" };
  expect((await check((await erp({ attachWorkOrder })).folder)).out).toMatch(/takes 1 kind of events/);
  const both = await erp({ attachWorkOrder, confirmPutWallPlacement });
  expect((await check(both.folder)).out).toMatch(/takes 2 kinds of events/);
});

test("an order that is in the list but not found by a scan is reported", async () => {
  const { folder } = await erp({ findWorkOrderByCode: { path: "/nothing/{code}", map }, attachWorkOrder });
  expect((await check(folder)).out).toMatch(/! erp \(http\): findWorkOrderByCode has no answer for order W-1/);
});

test("each event is shown as the request for an example; nothing is sent, and no secret is shown", async () => {
  const { folder, requests, origin } = await erp({ attachWorkOrder });
  const { code, out } = await check(folder);
  expect(code).toBe(0);
  expect(out).toContain(`POST ${origin}/attach/WO-1001`);
  expect(out).toContain('"box": "BOX-0042"');
  expect(out).toMatch(/idempotency-key: "?evt_example/);
  expect(out).toContain("takes 1 kind of events");
  expect(out).not.toContain("hunter2secret");
  expect(requests.every(({ method }) => method === "GET")).toBe(true);
});

test("one event, also from a file, is shown without calling an external system", async () => {
  const { folder, requests, origin } = await erp({ attachWorkOrder });
  writeFileSync(join(folder, "pick.json"), JSON.stringify({ workOrderNumber: "X/9", containerCode: "T 1" }));
  const { code, out } = await check(folder, "--event", "attachworkorder", "pick.json");
  expect(code).toBe(0);
  expect(out).toContain(`POST ${origin}/attach/X%2F9`);
  expect(out).toContain('"box": "T 1"');
  expect(requests).toEqual([]);
  expect(await check(folder, "--event", "changeStatus")).toMatchObject({
    code: 1,
    out: expect.stringContaining("erp describes nothing for this event"),
  });
  expect((await check(folder, "--event", "attach")).out).toMatch(/no event attach.*choose one of .*attachWorkOrder/s);
});

test("steps that depend on earlier answers are shown as far as they are known", async () => {
  const steps = [{ path: "/attach" }, { path: "/attach/{steps[0].id}" }];
  const { folder } = await erp({ attachWorkOrder: { steps } });
  const { code, out } = await check(folder, "--event", "attachWorkOrder");
  expect(code).toBe(0);
  expect(out).toMatch(/POST \S+\/attach\n.*one more request, filled from earlier answers/s);
});

test.each([
  [
    "the mark of the next page",
    { page: { by: "cursor", param: "c", path: "next", size: 2, sizeParam: "n" }, records: "data" },
    /nothing stands at next/,
  ],
  [
    "the address of the next page",
    { page: { by: "next", path: "links.nxt" }, path: "/paged", records: "data" },
    /nothing stands at links\.nxt .*the answer has links\.next.*correct page\.path/,
  ],
  [
    "the address of the next page, with a total",
    { page: { by: "next", total: "count" }, path: "/counted", records: "data" },
    /nothing stands at @odata\.nextLink .*it has 1 of 7 records/,
  ],
  [
    "the header with the next page",
    { page: { by: "link" }, path: "/paged", records: "data" },
    /nothing stands at the header Link .*the answer has links\.next/,
  ],
  [
    "an address, and not an object",
    { page: { by: "next", path: "links" }, path: "/paged", records: "data" },
    /at links is no address of the next page/,
  ],
  [
    "the time of a change",
    { query: { s: "{since}" }, records: "data", since: { path: "modified" } },
    /nothing stands at modified/,
  ],
  [
    "a time that can be read",
    { query: { s: "{since}" }, records: "data", since: { path: "no" } },
    /"W-1" at no is no time/,
  ],
])("a path that should contain %s but is empty is an error", async (_name, options, words) => {
  const poll = [{ topic: "workOrders", path: "/orders", map, ...options }];
  const { folder } = await erp({ attachWorkOrder }, { poll });
  const { code, out } = await check(folder);
  expect(code).toBe(1);
  expect(out).toMatch(words);
});

/** A database with orders and a table for placed items. */
function database(connector: object) {
  const folder = temporaryFolder();
  const file = join(folder, "erp.db");
  const opened = new DatabaseSync(file);
  opened.exec(
    `CREATE TABLE orders (no TEXT, changed TEXT, never TEXT, word TEXT);
     INSERT INTO orders VALUES ('W-1', '2026-01-01 08:00:00', NULL, 'soon');
     CREATE TABLE placed (id TEXT, item TEXT, amount REAL)`,
  );
  opened.close();
  const erp = { type: "sql", driver: "sqlite", file, createDeliveredTable: true, ...connector };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ connectors: { erp }, events: { to: "erp" } }));
  return { folder, file };
}
const placed = {
  confirmPutWallPlacement: {
    statements: [{ sql: "INSERT INTO placed VALUES (:entryId, :itemNumber, :completedAmount)" }],
  },
};

test.each([
  ["changed", 0, /takes 1 kind of events/],
  ["changd", 1, /returns no column changd; it returns no, changed, never, word/],
  ["never", 1, /no row has a value in the column never; correct since.column/],
  ["word", 1, /"soon" in the column word is neither a time nor a whole number/],
])("a check of a database poll by the column %s exits with %i", async (column, expected, words) => {
  const sql = "SELECT * FROM orders WHERE :since < '9'";
  const { folder } = database({
    operations: placed,
    poll: [{ topic: "items", sql, map: { number: "no" }, since: { column } }],
  });
  const { code, out } = await check(folder);
  expect(out).toMatch(words);
  expect(code).toBe(expected);
});

test("an event for a database is shown as its statements with their values, and nothing is changed", async () => {
  const { folder, file } = database({ operations: placed });
  const { code, out } = await check(folder, "--event", "confirmPutWallPlacement");
  expect(code).toBe(0);
  expect(out).toMatch(/INSERT INTO placed VALUES \(\?, \?, \?\)/);
  expect(out).toContain("evt_example");
  const opened = new DatabaseSync(file);
  expect(opened.prepare("SELECT count(*) AS n FROM placed").get()).toMatchObject({ n: 0 });
  opened.close();
});

test("a statement for an event is shown with the amounts of its line", async () => {
  const sql = "INSERT INTO placed VALUES (:entryId, :line.itemNumber, :line.confirmedAmount)";
  const { folder } = database({ operations: { confirmStep: { statements: [{ sql }] } } });
  const { code, out } = await check(folder, "--event", "confirmStep");
  expect(code).toBe(0);
  expect(out).toMatch(/"evt_example",\s+"[^"]+",\s+"1"/);
  expect(out).not.toContain('"null"');
});

test("an event for a folder is shown as the file with its content, and none is written", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "out"));
  const erp = {
    type: "files",
    location: join(folder, "out"),
    out: { all: { format: "csv", map: { box: "data.containerCode" } } },
  };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ connectors: { erp }, events: { to: "erp" } }));
  const { code, out } = await check(folder, "--event", "attachWorkOrder");
  expect(code).toBe(0);
  expect(out).toContain("0000000001-attachWorkOrder-WO-1001-evt_example.csv");
  expect(out).toMatch(/box\s+BOX-0042|box\\r\\nBOX-0042/);
  expect(readdirSync(join(folder, "out"))).toEqual([]);
});

test("an event for a webhook is shown with all its headers, without its secrets, and is not sent", async () => {
  const folder = temporaryFolder();
  const { url, requests } = await receiver((response) => response.end());
  const erp = { type: "webhook", url, secrets: ["${TOKEN}"], headers: { authorization: "Bearer ${TOKEN}" } };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ connectors: { erp }, events: { to: "erp" } }));
  const { code, out } = await check(folder, "--event", "changeStatus");
  expect(code).toBe(0);
  expect(out).toContain(`POST ${url}`);
  expect(out).toMatch(/webhook-id: "?evt_example/);
  expect(out).not.toContain("hunter2secret");
  expect(requests).toEqual([]);
});

test("the effective configuration is printed with its preset expanded and its secrets masked", async () => {
  const folder = temporaryFolder();
  const config = {
    connectors: {
      erp: {
        type: "http",
        preset: "erpnext",
        baseUrl: "https://erp.example.com",
        auth: { kind: "bearer", token: "${TOKEN}" },
      },
    },
  };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify(config));
  const { code, out } = await check(folder, "--effective");
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/listWorkOrders:/) });
  expect(out).toContain("timeZone: UTC");
  expect(out).not.toContain("hunter2secret");
});

test("of the effective configuration, secrets that stand in the file or are short are masked too", async () => {
  const folder = temporaryFolder();
  const url = "postgres://reader:pw2@db.example.com/erp";
  const config = {
    connectors: {
      written: { type: "http", baseUrl: "https://erp.example.com", auth: { kind: "bearer", token: "writtenInFile" } },
      short: {
        type: "http",
        baseUrl: "https://erp.example.com?key=${SHORT}",
        headers: { authorization: "Bearer ${SHORT}", "x-site": "north" },
      },
      hook: { type: "webhook", url: "https://hook:pw1@erp.example.com/events", headers: { "x-api-key": "k1" } },
    },
    store: url,
  };
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify(config));
  writeFileSync(join(folder, ".env"), "SHORT=abc\n");
  const { code, out } = await check(folder, "--effective");
  expect(code).toBe(0);
  for (const secret of ["writtenInFile", "abc", "pw1", "k1", "pw2"]) expect(out).not.toContain(secret);
  for (const shown of ['token: "***"', "x-site: north", "reader:***@db.example.com"]) expect(out).toContain(shown);
});
