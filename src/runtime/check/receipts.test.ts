import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ConfigError } from "../../config/document/config-error.ts";
import { loadConfig } from "../../config/load-config.ts";
import { checkDeployment, checkEvent } from "./check-deployment.ts";
import { exampleOf } from "./dry-run-events.ts";

async function loaded(erp: object) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ connectors: { erp }, events: { to: "erp" } }));
  return await loadConfig({ env: { CROSSDOCK_DATA_DIR: temporaryFolder() }, cwd });
}

async function messageOf(erp: object): Promise<string> {
  const error = await loaded(erp).catch((thrown: unknown) => thrown);
  return error instanceof ConfigError ? error.message : "";
}

const http = (notices: object) => ({ type: "http", baseUrl: "http://127.0.0.1:1/api", notices });
const files = (out: object) => ({ type: "files", location: ".", out });
const sql = (sqlText: string, more: object = {}) => ({
  ...{ type: "sql", driver: "sqlite", file: "erp.db", createDeliveredTable: true },
  notices: { statements: [{ sql: sqlText }], ...more },
});

test.each<[string, object, RegExp]>([
  ["a placeholder", http({ path: "/r/{input.workOrdrNumber}" }), /notices: .*did you mean workOrderNumber\?/],
  [
    "a field rule",
    http({ path: "/r", map: { a: "workOrdrNumber" } }),
    /notices.map.a: .*did you mean workOrderNumber\?/,
  ],
  [
    "a condition",
    http({ path: "/r", when: { path: "recept", equals: "removed" } }),
    /when.path: .*did you mean receipt\?/,
  ],
  [
    "a value of a condition",
    http({ path: "/r", when: { path: "receipt", equals: "remved" } }),
    /receipt is never "remved"/,
  ],
  ["a step", http({ steps: [{ path: "/r/{input.pickdAmount}" }] }), /steps.*did you mean pickedAmount\?/],
  [
    "a file",
    files({ notices: { map: { a: "data.workOrdrNumber" } } }),
    /out.notices.map.a: .*did you mean workOrderNumber\?/,
  ],
  [
    "a file for all",
    files({ all: { map: { a: "data.workOrdrNumber" } } }),
    /out.all.map.a: .*did you mean workOrderNumber\?/,
  ],
  ["a statement", sql("INSERT INTO n VALUES (:entryId, :body.workOrdrNumber)"), /did you mean workOrderNumber\?/],
  ["a short name", sql("INSERT INTO n VALUES (:entryId, :recept)"), /recept: unknown name; did you mean receipt\?/],
  [
    "a parameter",
    sql("INSERT INTO n VALUES (:a)", { params: { a: "requestdAmount" } }),
    /did you mean requestedAmount\?/,
  ],
])("a typing error in %s of a receipt is refused when the configuration is loaded", async (_name, erp, text) => {
  expect(await messageOf(erp)).toMatch(text);
});

const map = { order: "workOrderNumber", state: "receipt", picked: "pickedAmount", place: "order.deliveryNumber" };

test.each<[string, object]>([
  [
    "http",
    http({ path: "/r/{workOrderNumber}/{input.changeId}/{entryId}", map, when: { path: "receipt", not: "removed" } }),
  ],
  ["files", files({ notices: { map: { id: "entryId", order: "data.workOrderNumber", lot: "data.lotNumber" } } })],
  ["files for all", files({ all: { map: { id: "entryId", a: "data.workOrderNumber", b: "data.receipt" } } })],
  [
    "sql",
    sql("INSERT INTO n VALUES (:entryId, :topic, :body.receipt, :atStep, :reason, :p)", { params: { p: "pushId" } }),
  ],
])("everything a receipt has may be sent by %s", async (_name, erp) => {
  expect(await messageOf(erp)).toBe("");
});

const receipt = { event: "changeReceipt", input: exampleOf("changeReceipt") } as const;

test.each<[string, object, RegExp]>([
  ["http", http({ path: "/r/{workOrderNumber}", map: { state: "receipt" } }), /POST \S+\/api\/r\/.*"state":"removed"/],
  ["files", files({ notices: { map: { state: "data.receipt" } } }), /changeReceipt-.*evt_example\.json.*removed/],
  ["sql", sql("INSERT INTO n VALUES (:entryId, :receipt)"), /INSERT INTO n VALUES.*evt_example.*removed/],
  ["webhook", { type: "webhook", url: "http://127.0.0.1:1/events" }, /POST \S+\/events.*"receipt":"removed"/],
])("a check shows how %s would send a receipt, and sends nothing", async (_name, erp, text) => {
  const config = await loaded(erp);
  expect(JSON.stringify((await checkEvent(config, receipt))?.requests)).toMatch(withQuotes(text));
  const { connectors } = await checkDeployment(config, { records: 0 });
  const shown = connectors[0]?.events.find(({ event }) => event === "changeReceipt");
  expect(JSON.stringify(shown?.requests)).toMatch(withQuotes(text));
});

/** Quotes inside a text are escaped. */
const withQuotes = ({ source }: RegExp) => new RegExp(source.replaceAll('"', '\\\\?"'));

test("a connector that has nothing for receipts says so where they are asked for, and is silent otherwise", async () => {
  const operations = { changeStatus: { path: "/s" } };
  const config = await loaded({ type: "http", baseUrl: "http://127.0.0.1:1/api", operations });
  expect(await checkEvent(config, receipt)).toMatchObject({ error: "erp describes nothing for this event" });
  const { connectors } = await checkDeployment(config, { records: 0 });
  expect(connectors[0]?.events.map(({ event }) => event)).toEqual(["changeStatus"]);
});
