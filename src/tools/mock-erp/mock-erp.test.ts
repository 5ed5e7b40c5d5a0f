import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startAdapter } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { receiptTopic } from "../../contract/change-receipt.ts";
import { operationIds, operationRow } from "../../contract/operations.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { type ManualTimers, manualTimers, systemTimers } from "../../kit/time/timers.ts";
import { mockErp } from "../../presets/mock-erp.ts";
import { noFaults } from "../simulator/calls/fault-rates.ts";
import { simulate } from "../simulator/simulate.ts";
import { fileConfig, restConfig, sqlConfig, sqlConnection } from "./adapter-config.ts";
import { noErpFaults, readErpFaults } from "./faults.ts";
import { type MockErp, type MockErpNeeds, startMockErp } from "./start-mock-erp.ts";
import { readGivenRecords } from "./state/erp-records.ts";
import { readEvent } from "./state/read-event.ts";

const today = Date.UTC(2030, 0, 7, 8);

async function erpWith(more: Partial<MockErpNeeds> = {}): Promise<MockErp> {
  const erp = await startMockErp({
    ...{ seed: 1, orders: 30, items: 20, host: "127.0.0.1", port: 0, token: null, isErrorInBody: false },
    ...{
      faults: noErpFaults,
      given: null,
      database: null,
      folder: null,
      fileFormat: "json",
      everyMs: 50,
      timers: systemTimers,
      now: () => today,
    },
    ...{ onTrouble: () => {}, ...more },
  });
  onTestFinished(() => erp.close());
  return erp;
}

interface Answered {
  readonly data: { readonly items: readonly { number: string }[]; readonly total: number };
  readonly orders: readonly unknown[];
  readonly requests: readonly unknown[];
}

async function query(erp: MockErp, path: string, body?: object, headers: Record<string, string> = {}) {
  const sent = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  };
  const answer = await fetch(erp.url + path, body === undefined ? { headers } : sent);
  // The members are compared below. An HTML page becomes null.
  const json = (await answer.json().catch(() => null)) as Answered;
  return { status: answer.status, link: answer.headers.get("link"), json };
}

const order = (erp: MockErp, index = 0) => {
  const found = [...erp.state.orders.values()][index];
  if (found === undefined) throw new Error("no such order");
  return found;
};
const step = (erp: MockErp, qty: number) => ({
  workOrderNumber: order(erp).number,
  requestId: 1,
  requestExternalIdentifier: "10",
  amountToConfirmPickingSummary: {
    locationName: "A-01",
    containersBreakdown: [{ containerCode: "T-1", amountToConfirmInBaseUnitOfMeasure: qty }],
  },
});

test("the same seed gives the same orders and items, another seed others", async () => {
  const world = async (seed: number) => {
    const { state } = await erpWith({ seed });
    return JSON.stringify([[...state.orders.values()], [...state.items.values()]]);
  };
  expect(await world(7)).toBe(await world(7));
  expect(await world(7)).not.toBe(await world(8));
});

test("orders come in pages that together hold each of them once, and only those changed since", async () => {
  const erp = await erpWith();
  const numbers: string[] = [];
  for (let page = 1, next: string | null = "first"; next !== null; page++) {
    const { json, link } = await query(erp, `/api/orders?per_page=7&page=${page}`);
    numbers.push(...json.data.items.map(({ number }) => number));
    next = link;
  }
  expect(numbers).toEqual([...erp.state.orders.keys()]);
  expect((await query(erp, "/api/orders?changed_since=2030-01-07T08:00:00.001Z")).json.data.total).toBe(0);
});

test("a pick lowers the stock once, however often it comes, and an order closes with its last pick", async () => {
  const erp = await erpWith();
  const [line, ...others] = order(erp).lines;
  const before = erp.state.items.get(line?.item ?? "")?.stock ?? 0;
  const key = { "idempotency-key": "evt_1" };
  for (let times = 0; times < 3; times++) await query(erp, "/api/events/confirmStep", step(erp, line?.qty ?? 0), key);
  expect(erp.state.items.get(line?.item ?? "")?.stock).toBe(before - (line?.qty ?? 0));
  expect([order(erp).state, erp.state.repeatCount()]).toEqual([others.length === 0 ? "completed" : "started", 2]);
  for (const { line: number } of others) {
    const cancel = { workOrderNumber: order(erp).number, requestExternalIdentifier: String(number) };
    await query(erp, "/api/events/cancelWorkOrderRequest", cancel, { "idempotency-key": `evt_${number}` });
  }
  expect(order(erp).state).toBe("completed");
});

test("an error is a status, or by a switch a member of an answer with status 200", async () => {
  const [plain, inBody] = [await erpWith(), await erpWith({ isErrorInBody: true })];
  const error = { error: { code: "NOT_FOUND", message: "There is no order 9. Ask the office." } };
  expect(await query(plain, "/api/orders/9")).toMatchObject({ status: 404, json: error });
  expect(await query(inBody, "/api/orders/9")).toMatchObject({ status: 200, json: error });
  // A picture request has no JSON body for an error.
  expect((await query(inBody, "/api/items/9/picture")).status).toBe(404);
});

test("every event of the contract can be booked", () => {
  const events = operationIds.filter((id) => operationRow(id).kind === "event");
  expect(
    events.filter(
      (id) =>
        readEvent(
          id,
          id === "relocateCartContainers" ? [] : { workOrderNumber: "1", number: "1", amountToConfirmSummary: {} },
        ) === null,
    ),
  ).toEqual([]);
  expect(readEvent("somethingElse", {})).toBeNull();
  expect(readEvent(receiptTopic, { workOrderNumber: "1", receipt: "applied" })).toMatchObject([{ note: "applied" }]);
  expect(() => readEvent("cancelPutWallItem", {})).toThrow(/without an order/);
});

test("without the token it asks for, nobody is let in; the control needs none and is never out of order", async () => {
  const erp = await erpWith({ token: "t", faults: { ...noErpFaults, isDown: true } });
  await expect(query(erp, "/api/ping")).rejects.toThrow();
  expect((await query(erp, "/control/down", { down: false })).status).toBe(200);
  expect((await query(erp, "/api/ping")).status).toBe(401);
  expect((await query(erp, "/api/ping", undefined, { authorization: "Bearer t" })).status).toBe(200);
});

test("faults come as often as wished, the same for the same seed, and what was lost on the way is booked", async () => {
  const faults = readErpFaults("5xx=20%,html=20%,lost=20%");
  if ("problem" in faults) throw new Error(faults.problem);
  const run = async () => {
    const erp = await erpWith({ faults });
    for (let index = 0; index < 40; index++) {
      await query(erp, "/api/events/note", {}, { "idempotency-key": `evt_${index}` }).catch(() => {});
    }
    const asked = erp.recorded.since(0);
    expect(erp.state.eventCount()).toBe(asked.filter(({ fault }) => fault === null || fault === "lost").length);
    return asked.map(({ fault }) => fault);
  };
  const first = await run();
  expect(new Set(first)).toEqual(new Set([null, "5xx", "html", "lost"]));
  expect(await run()).toEqual(first);
  expect(readErpFaults("slow=5%:10ms,hang=1%,down")).toMatchObject({ slowMs: 10, isDown: true });
  for (const wrong of ["5xx", "5xx=101%", "smoke=1%", "5xx=1%:10ms"])
    expect(readErpFaults(wrong)).toHaveProperty("problem");
});

test("received requests can be read, cancelled orders are in the list, and new orders can be requested", async () => {
  const erp = await erpWith();
  const { number } = order(erp);
  await query(erp, "/control/cancel", { order: number, line: 10, reason: "sold out" });
  expect((await query(erp, "/api/cancellations")).json.data.items).toMatchObject([{ order: number, line: 10 }]);
  expect((await query(erp, "/control/orders", { count: 3 })).json.orders).toHaveLength(3);
  expect(erp.state.orders.size).toBe(33);
  const { json } = await query(erp, "/control/recorded");
  expect(json.requests).toMatchObject([{ method: "GET", path: "/cancellations", status: 200 }]);
  expect((await query(erp, "/control/cancel", { order: "none" })).status).toBe(404);
  // Sent as a form on a web page would send it.
  expect((await fetch(`${erp.url}/control/down`, { method: "POST", body: "{}" })).status).toBe(415);
});

const given = {
  items: [{ number: "100", name: "Hammer; large", grams: 680, hasPicture: true }],
  orders: [{ number: "5001", due: "2030-01-31", wave: "B-1", lines: [{ line: 10, item: "100", qty: 1.5 }] }],
};

test("records of one's own stand instead of drawn ones, and an order can be put in the place of another", async () => {
  const read = readGivenRecords(JSON.stringify(given));
  if ("problem" in read) throw new Error(read.problem);
  const erp = await erpWith({ given: read });
  expect([...erp.state.orders.values()]).toMatchObject([{ number: "5001", warehouse: "Main", lines: [{ qty: 1.5 }] }]);
  const mended = { ...given.orders[0], lines: [{ line: 10, item: "100", qty: 2 }] };
  expect((await query(erp, "/control/orders", { order: mended })).status).toBe(200);
  expect(order(erp).lines).toMatchObject([{ qty: 2, picked: 0 }]);
  const wrong = await query(erp, "/control/orders", { order: { ...mended, lines: "none" } });
  expect(wrong).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining("lines: ") } } });
  // The number that is generated first is already in use.
  expect((await query(erp, "/control/orders", { count: 1 })).json.orders).toMatchObject([{ number: "5002" }]);
  expect([...erp.state.orders.keys()]).toEqual(["5001", "5002"]);
});

test.each(["{half", "[]", '{"items":[],"orders":[{"number":"1"}]}', '{"items":[],"orders":[],"more":1}'])(
  "records like %s are refused with what is wrong",
  (content) => {
    expect(readGivenRecords(content)).toMatchObject({ problem: expect.stringMatching(/\w/) });
  },
);

test("what is told in the ERP's own words is booked once, split by the totes it went into, and nonsense is refused", async () => {
  const erp = await erpWith();
  const { number, lines } = order(erp);
  const document = {
    what: "pick",
    order: number,
    line: 10,
    place: "A-1",
    totes: [{ tote: "T-1", qty: 1 }, { tote: "T-2" }],
  };
  for (let times = 0; times < 2; times++) await query(erp, "/api/bookings", document, { "idempotency-key": "k-1" });
  expect(lines[0]?.picked).toBe(1);
  expect(erp.state.events.flatMap(({ bookings }) => bookings)).toMatchObject([
    { line: "10", tote: "T-1", qty: 1, place: "A-1" },
    { line: "10", tote: "T-2", qty: null, place: "A-1" },
  ]);
  for (const wrong of [{ what: "eat", order: number }, { what: "state", order: number, note: "9" }, { what: "pick" }]) {
    expect((await query(erp, "/api/bookings", wrong, { "idempotency-key": "k-2" })).status).toBe(422);
  }
});

test("while its folder is away what the ERP has to drop waits, and comes in the form that is wanted", async () => {
  const folder = temporaryFolder();
  const read = readGivenRecords(JSON.stringify(given));
  if ("problem" in read) throw new Error(read.problem);
  const timers = manualTimers(manualClock());
  const troubles: string[] = [];
  const erp = await erpWith({
    folder,
    timers,
    given: read,
    fileFormat: "csv",
    onTrouble: (text) => troubles.push(text),
  });
  expect(readFileSync(join(folder, "items/items-000001.csv"), "utf8")).toBe(
    'item;name;grams\r\n100;"Hammer; large";680\r\n',
  );
  expect(readFileSync(join(folder, "orders/orders-000002.csv"), "utf8")).toMatch(
    /^order;.*\r\n5001;;;31\.01\.2030;Main;B-1;10;100;1,5\r\n$/,
  );
  renameSync(join(folder, "cancellations"), join(folder, "away"));
  erp.state.cancel("5001", 10, "sold out");
  while (troubles.length === 0) await timers.pass(50);
  renameSync(join(folder, "away"), join(folder, "cancellations"));
  const dropped = () => readdirSync(join(folder, "cancellations")).filter((name) => !name.startsWith("."));
  while (dropped().length === 0) await timers.pass(50);
  expect(readFileSync(join(folder, "cancellations", dropped()[0] ?? ""), "utf8")).toMatch(/\r\n5001;10;sold out\r\n$/);
});

test("an event file is booked and put aside, one that is none is put aside too, and an ERP that is down takes none", async () => {
  const folder = temporaryFolder();
  const timers: ManualTimers = manualTimers(manualClock());
  const erp = await erpWith({ folder, timers });
  const drop = (name: string, content: string) => {
    writeFileSync(join(folder, `.${name}`), content);
    renameSync(join(folder, `.${name}`), join(folder, "events", name));
  };
  const settled = async (place: string, count: number) => {
    while (readdirSync(join(folder, place)).length < count) await timers.pass(50);
  };
  drop("1.json", JSON.stringify({ entryId: "evt_1", topic: "confirmStep", data: step(erp, 1) }));
  drop("2.json", "{half");
  await settled("events/booked", 1);
  await settled("events/refused", 1);
  expect(order(erp).lines[0]?.picked).toBe(1);
  erp.faults.current = { ...noErpFaults, isDown: true };
  drop("3.json", JSON.stringify({ entryId: "evt_3", topic: "confirmStep", data: step(erp, 1) }));
  await timers.pass(500);
  expect(readdirSync(join(folder, "events"))).toContain("3.json");
  const [orders = ""] = readdirSync(join(folder, "orders"));
  expect(JSON.parse(readFileSync(join(folder, "orders", orders), "utf8"))).toHaveLength(30);
});

const faces = ["rest", "sql", "json files", "csv files"] as const;

test.each(faces)(
  "a whole shift through the %s face: what the floor picked is what the ERP has booked",
  async (face) => {
    const folder = temporaryFolder();
    const [database, exchange] = [join(folder, "erp.db"), join(folder, "exchange")];
    const erp = await erpWith({
      ...{ orders: 12, items: 12, now: () => Date.now() },
      fileFormat: face === "csv files" ? "csv" : "json",
      ...{ database: face === "sql" ? database : null, folder: face.endsWith("files") ? exchange : null },
    });
    const config = {
      rest: () => restConfig({ url: erp.url, hasToken: false }),
      sql: () => sqlConfig(sqlConnection(database)),
      "json files": () => fileConfig(exchange, "json"),
      "csv files": () => fileConfig(exchange, "csv"),
    }[face]();
    const { url, client } = await startAdapter({ config: parse(config) });
    const listed = async () => (await client.listWorkOrders()).data?.length;
    while ((await listed()) !== 12) await new Promise((resolve) => setImmediate(resolve));
    const floor = { speed: null, callsPerSecond: null, shiftMs: 3_600_000 * 8, rates: noFaults, hasKeys: false };
    const result = await simulate(
      {
        ...{ baseUrl: url, apiKey: null, seed: 3, orders: 0, operators: 3, storage: "Main", erpControlUrl: null },
        ...{ ...floor, patienceMs: 60_000 },
      },
      { timers: systemTimers, now: () => performance.now(), today: () => new Date() },
    );
    expect([result.view.tally.findings, result.view.ordersDone]).toEqual([[], 12]);
    const isOpen = () =>
      [...erp.state.orders.values()].some(({ state }) => state === "released" || state === "started");
    while (isOpen()) await new Promise((resolve) => setImmediate(resolve));
    for (const { number, lines } of erp.state.orders.values()) {
      const { placed } = result.records.of(number);
      const floorPicked = [...placed.values()].reduce((sum, amount) => sum + amount, 0);
      expect([number, lines.reduce((sum, { picked }) => sum + picked, 0)]).toEqual([number, floorPicked]);
    }
  },
);

test("the preset describes the same connector as the configuration that is written", () => {
  const { type: _, baseUrl: __, ...written } = parse(restConfig({ url: "http://x", hasToken: false })).connectors.erp;
  expect(mockErp.options).toEqual(written);
});
