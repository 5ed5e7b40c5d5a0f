import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { apiKey, startAdapter } from "../../../test/support/adapter/adapter.ts";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Log, silentLog } from "../../kit/log.ts";
import type { LoggedExchange } from "../../server/admin/log-routes.ts";

const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const clockAt = (start: string) => {
  let now = Date.parse(start);
  const advance = (ms: number) => {
    now += ms;
  };
  return { now: () => now, advance };
};

async function adapterWithErp() {
  const erp = createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify({ ok: true, phone: "+49 151 0000" })));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void erp.close());
  await new Promise((resolve) => erp.once("listening", resolve));
  const { port } = erp.address() as AddressInfo;
  const lines: { readonly text: string; readonly [field: string]: unknown }[] = [];
  const info: Log["info"] = (fields, text) => void lines.push({ ...fields, text });
  const clock = clockAt("2026-01-05T08:00:00Z");
  const adapter = await startAdapter({
    log: { ...silentLog, info },
    clock,
    config: {
      connectors: {
        erp: {
          type: "webhook",
          url: `http://127.0.0.1:${port}`,
          secrets: ["whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"],
        },
      },
      events: { to: "erp" },
    },
  });
  const call = (method: string, path: string, body?: object) =>
    fetch(adapter.url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const kept = async (order: string) =>
    ((await (await call("GET", `/admin/log/orders/${order}`)).json()) as { exchanges: LoggedExchange[] }).exchanges;
  return { ...adapter, call, kept, lines, clock };
}

test("requests and deliveries of a watched order are logged with masked bodies, those of others are not", async () => {
  const { client, call, kept, lines } = await adapterWithErp();
  for (const number of ["4711", "14711", "4712"]) await client.push.workOrders([workOrder({ number })]);
  const watched = await call("POST", "/admin/log/orders", { order: "4711", minutes: 15, operator: "it" });
  expect(watched.status).toBe(200);
  for (const workOrderNumber of ["4711", "14711", "4712"]) {
    await client.confirmPutWallPlacement({
      ...{ workOrderNumber, itemNumber: "A-1", completedAmount: 1, userEmail: "maria@example.com" },
    });
  }
  await vi.waitFor(
    async () => expect((await kept("4711")).map(({ kind }) => kind)).toEqual(["request", "delivery"]),
    60_000,
  );
  const [request, delivery] = await kept("4711");
  expect(request).toMatchObject({ what: expect.stringMatching(/^POST .*PutWall/), status: 200 });
  expect(request?.request).toContain('"workOrderNumber":"4711"');
  expect(request?.answer).toContain("isResultSuccess");
  expect(delivery).toMatchObject({ what: expect.stringContaining("confirmPutWallPlacement to erp"), status: 200 });
  const logged = lines.filter(({ text }) => /touched the watched order/.test(text));
  expect(logged.map(({ code }) => code)).toEqual(["CD-141", "CD-142"]);
  const all = JSON.stringify([logged, await kept("4711")]);
  expect(all).not.toContain("maria@example.com");
  expect(all).not.toContain("0000");
  expect(all).not.toContain("14711");
  expect(all).not.toContain("4712");
});

test("a watched order is no longer logged after its time, and what was kept can still be read", async () => {
  const { client, call, kept, clock } = await adapterWithErp();
  await call("POST", "/admin/log/orders", { order: "4711", minutes: 1, operator: "it" });
  await client.push.workOrders([workOrder({ number: "4711" })]);
  await vi.waitFor(async () => expect(await kept("4711")).toHaveLength(1), 60_000);
  clock.advance(60_000);
  await client.push.workOrders([workOrder({ number: "4711", dueDate: "2026-03-02T08:00:00Z" })]);
  await call("GET", "/admin/overview");
  expect(await kept("4711")).toHaveLength(1);
});

test("an order that nobody watches has no log, and wrong members are refused with every problem", async () => {
  const { call } = await adapterWithErp();
  expect((await call("GET", "/admin/log/orders/4711")).status).toBe(404);
  const order = await call("POST", "/admin/log/orders", { order: "", minutes: 100_000 });
  expect(order.status).toBe(400);
  expect(Object.keys(((await order.json()) as { errors: object }).errors)).toEqual(["operator", "order", "minutes"]);
  const level = await call("POST", "/admin/log/level", { room: "cellar", level: "loud", operator: "it" });
  expect(Object.keys(((await level.json()) as { errors: object }).errors)).toEqual(["room", "level"]);
});

test("a level set by the admin route is in the audit and in the view until its time is over", async () => {
  const { call, clock } = await adapterWithErp();
  const set = await call("POST", "/admin/log/level", { room: "delivery", level: "debug", minutes: 5, operator: "it" });
  expect(set.status).toBe(200);
  const levels = async () => ((await (await call("GET", "/admin/log")).json()) as { levels: object[] }).levels;
  expect(await levels()).toContainEqual({ room: "delivery", level: "debug", until: "2026-01-05T08:05:00.000Z" });
  clock.advance(5 * 60_000);
  expect(await levels()).toContainEqual({ room: "delivery", level: "info", until: null });
  const { actions } = (await (await call("GET", "/admin/audit")).json()) as { actions: object[] };
  expect(actions[0]).toMatchObject({ action: "log-level", subject: "delivery debug", operator: "it" });
});

test("a body that is longer than what is kept passes unchanged while an order is watched", async () => {
  const { client, call, kept } = await adapterWithErp();
  await call("POST", "/admin/log/orders", { order: "W-2999", minutes: 5, operator: "it" });
  const orders = Array.from({ length: 3_000 }, (_, n) => workOrder({ number: `W-${n}`, description: "x".repeat(100) }));
  await client.push.workOrders(orders);
  const { data } = await client.listWorkOrders();
  expect(data).toHaveLength(3_000);
  for (const { request, answer } of await kept("W-2999")) {
    expect(request.length).toBeLessThan(17_000);
    expect(answer.length).toBeLessThan(17_000);
  }
});
