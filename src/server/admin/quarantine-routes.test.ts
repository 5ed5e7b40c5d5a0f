import { expect, onTestFinished, test } from "vitest";
import { apiKey } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { PersonDid } from "../../engine/audit/open-action-log.ts";
import { openIntakeFile } from "../../engine/quarantine/open-quarantine.ts";
import type { BadRecord } from "../../engine/quarantine/quarantine.ts";
import { recordRetry } from "../../engine/quarantine/retry-record.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import type { Batch } from "../../sdk/intake.ts";
import { createServer } from "../server.ts";
import { adminGate } from "./admin-gate.ts";
import { type QuarantineRouteNeeds, quarantineRoutes } from "./quarantine-routes.ts";
import { readEdit } from "./read-edit.ts";

const bad: BadRecord = {
  ...{ source: "erp", kind: "workOrders", number: "4711", raw: { number: "4711" } },
  problems: [{ field: "dueDate", expected: "present" }],
};

function setUp() {
  const needs = { dataFolder: temporaryFolder(), clock: manualClock(), timers: systemTimers, log: silentLog };
  const { quarantine, close } = openIntakeFile(needs);
  onTestFinished(close);
  const newReference = () => "REF";
  const app = createServer({ basePath: "/a", bodyLimitBytes: 2 ** 20, log: silentLog, newReference });
  const gate = adminGate({ apiKey, newReference });
  const taken: Batch[] = [];
  const intakeOf = () => async (found: Batch) => {
    taken.push(found);
    return { ids: ["evt_1"], unchanged: 0, bad: [] };
  };
  const dates = () => ({ timeZone: "UTC", timeOfDay: "00:00" });
  const unserved = (kind: string) => (kind === "items" ? "not shown" : undefined);
  const retries = recordRetry({ quarantine, intakeOf, dates, unserved, queryAgain: () => [] });
  const rules: QuarantineRouteNeeds["rules"] = ({ fields }) =>
    fields.map((field) => ({ field, place: `connectors.erp.map.${field}`, rule: '"Due"' }));
  const acted: PersonDid[] = [];
  const actions = { add: async (did: PersonDid) => void acted.push(did) };
  quarantineRoutes(app, {
    ...{ quarantine, recordRetry: retries, rules, gate, actions, basePath: "/a", newReference },
    readEdit: async (bytes) => readEdit(bytes),
  });
  const call = async (method: "GET" | "POST" | "DELETE", path: string, body?: object, key = apiKey) => {
    const headers = { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await app.inject({ method, url: `/a/admin/quarantine${path}`, headers, ...payload });
    return { status: answer.statusCode, headers: answer.headers, json: answer.json() };
  };
  return { quarantine, call, taken, acted };
}

test("a list of what is kept back, by source, kind and number, with words for every problem", async () => {
  const { quarantine, call } = setUp();
  quarantine.keep(bad);
  quarantine.keep({ ...bad, kind: "items", number: "A-1" });
  const all = await call("GET", "");
  expect(all.json).toMatchObject({ total: 2, nextBefore: null });
  expect(all.headers["cache-control"]).toBe("no-store");
  const orders = await call("GET", "?kind=workorders&Source=erp&number=4711");
  expect(orders.json.records).toMatchObject([
    {
      number: "4711",
      firstSeenAt: "2026-01-05T08:00:00.000Z",
      problems: [{ text: expect.stringContaining("dueDate") }],
    },
  ]);
  expect((await call("GET", "?limit=1")).json).toMatchObject({ total: 2, records: [{ number: "A-1" }], nextBefore: 2 });
  expect((await call("GET", "?limit=1&before=2")).json.records).toMatchObject([{ number: "4711" }]);
});

test("one record is shown with what the external system gave", async () => {
  const { quarantine, call } = setUp();
  quarantine.keep(bad);
  expect((await call("GET", "/1")).json).toMatchObject({
    ...{ raw: '{"number":"4711"}', isRawCut: false, count: 1, retry: "take" },
    ...{ sourceRecord: null, isSourceRecordCut: false, keptBytes: 65_536 },
  });
  for (const id of ["2", "x", "99999999999999999999"]) expect((await call("GET", `/${id}`)).status).toBe(404);
});

test("a record is dropped with a name and a reason, by DELETE or by POST, and only once", async () => {
  const { quarantine, call } = setUp();
  quarantine.keep(bad);
  quarantine.keep({ ...bad, number: "4712" });
  const reason = { operator: "kim", reason: "test order" };
  expect(await call("DELETE", "/1", { operator: "kim" })).toMatchObject({
    status: 400,
    json: { errors: { reason: {} } },
  });
  expect((await call("POST", "/1/drop")).status).toBe(400);
  expect(await call("DELETE", "/1", reason)).toMatchObject({ status: 200, json: { dropped: { number: "4711" } } });
  expect((await call("DELETE", "/1", reason)).status).toBe(404);
  expect((await call("POST", "/2/drop", reason)).status).toBe(200);
  expect(quarantine.count()).toBe(0);
});

test("a body that cannot be read is refused with the cause", async () => {
  const { quarantine, call } = setUp();
  quarantine.keep(bad);
  const named = { operator: "kim", reason: "test order" };
  const drops = [
    await call("POST", "/1/drop", { ...named, id: 2 ** 70 }),
    await call("DELETE", "/1", { ...named, id: 2 ** 70 }),
  ];
  for (const { status, json } of drops) {
    expect(status).toBe(400);
    expect(json.errors).toEqual({ $: [expect.stringContaining("number that loses digits")] });
  }
  const retried = await call("POST", "/1/retry", [named]);
  expect(retried).toMatchObject({ status: 400, json: { errors: { $: ["must be a JSON object"] } } });
  expect(quarantine.count()).toBe(1);
});

test("strangers learn nothing, and a slip of the pen is not taken for no filter", async () => {
  const { quarantine, call } = setUp();
  quarantine.keep(bad);
  for (const [method, path] of [
    ["GET", ""],
    ["GET", "/1"],
    ["DELETE", "/1"],
    ["POST", "/1/drop"],
  ] as const) {
    expect((await call(method, path, undefined, "wrong")).status).toBe(401);
  }
  const wrong = await call("GET", "?nummer=1&kind=orders&limit=0&before=x");
  expect(wrong).toMatchObject({ status: 400, json: { errors: { nummer: {}, kind: {}, limit: {}, before: {} } } });
});

const good = {
  ...{ number: "4711", dueDate: "2030-01-31" },
  requests: [{ itemNumber: "A-1", requestedAmount: 2, requestExternalIdentifier: "10" }],
};
const decision = { operator: "kim", reason: "corrected" };

test("a record is shown with the rules that made its wrong members", async () => {
  const { quarantine, call } = setUp();
  quarantine.keep(bad);
  expect((await call("GET", "/1")).json.rules).toEqual([
    { field: "dueDate", place: "connectors.erp.map.dueDate", rule: '"Due"' },
  ]);
});

test("a record that is still wrong stays, with every problem; a corrected one is taken in and leaves", async () => {
  const { quarantine, call, taken, acted } = setUp();
  quarantine.keep({ ...bad, origin: "orders.csv" });
  const still = await call("POST", "/1/retry", decision);
  expect(still).toMatchObject({ status: 400, json: { errors: { dueDate: [expect.any(String)] } } });
  expect((await call("POST", "/1/retry", { ...decision, body: "{" })).status).toBe(400);
  expect((await call("POST", "/1/retry", { operator: "kim", body: good })).json.errors).toHaveProperty("reason");
  expect([taken, acted, quarantine.count()]).toEqual([[], [], 1]);
  const done = await call("POST", "/1/retry", { ...decision, body: JSON.stringify(good) });
  expect(done).toMatchObject({ status: 200, json: { entries: ["evt_1"] } });
  expect(taken).toMatchObject([{ topic: "workOrders", origin: "orders.csv", elements: [good] }]);
  expect(acted).toEqual([{ ...decision, action: "retry", subject: "workOrders 4711 of erp" }]);
  expect(quarantine.count()).toBe(0);
  expect((await call("POST", "/1/retry", decision)).status).toBe(404);
});

test("a record that no list would show, and one that was not kept whole, are not taken in", async () => {
  const { quarantine, call, taken } = setUp();
  quarantine.keep({ ...bad, kind: "items", number: "A-1" });
  quarantine.keep({ ...bad, raw: { number: "x".repeat(70_000) } });
  for (const id of [1, 2]) {
    expect((await call("GET", `/${id}`)).json).toMatchObject({ retry: "none" });
    expect((await call("POST", `/${id}/retry`, decision)).status).toBe(409);
  }
  expect([taken, quarantine.count()]).toEqual([[], 2]);
});
