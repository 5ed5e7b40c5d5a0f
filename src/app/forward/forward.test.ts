import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../test/support/adapter/adapter.ts";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import { ConfigError } from "../../config/document/config-error.ts";

const order = (number: string, members: object = {}) => ({
  number,
  dueDate: "2030-01-31",
  requests: [{ itemNumber: "A", requestedAmount: 2, requestExternalIdentifier: "L-1" }],
  ...members,
});
const bodies = (requests: readonly { body: Buffer }[]) => requests.map(({ body }) => JSON.parse(body.toString()));

/** A platform that accepts everything and records what it was sent. */
const platform = () =>
  receiver((response) => response.writeHead(200, { "content-type": "application/json" }).end('{"status":"stored"}'));

const receiptOf = async (url: string, id: string, headers: Record<string, string> = { "x-api-key": apiKey }) => {
  const answer = await fetch(`${url}/inbound/entries/${id}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

test("an order and its cancellation reach the platform as configured, in order, and are served as well", async () => {
  const { url: address, requests } = await platform();
  const base = address.replace(/\/events$/, "");
  const success = { jsonPath: "status", equals: "stored" };
  const headers = { "x-site": "north" };
  const auth = { kind: "bearer", token: "platform-token-1" };
  const { client, url } = await startAdapter({
    config: {
      platform: {
        forward: {
          workOrders: {
            request: {
              ...{ method: "PUT", url: `${base}/api/orders/{input.number}?tenant=7`, headers, auth, success },
              body: { code: "number", due: "dueDate", lines: { each: "requests", map: { sku: "itemNumber" } } },
            },
          },
          cancellations: { mode: "forward", request: { url: `${base}/api/cancel`, success } },
        },
      },
    },
  });
  const { ids } = await client.push.workOrders(order("4711/a"));
  await client.push.cancellations({ workOrderNumber: "4711/a", reason: "customer" });
  await expect.poll(() => requests.length).toBe(2);
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "PUT /api/orders/4711%2Fa?tenant=7",
    "POST /api/cancel",
  ]);
  expect(bodies(requests)).toEqual([
    { code: "4711/a", due: "2030-01-31T00:00:00Z", lines: [{ sku: "A" }] },
    { workOrderNumber: "4711/a", reason: "customer" },
  ]);
  expect(requests[0]?.headers).toMatchObject({
    authorization: "Bearer platform-token-1",
    "x-site": "north",
    "idempotency-key": ids[0],
  });
  const { data } = await client.listWorkOrders();
  // The order is cancelled only at the platform, because the cancellation was not for the store.
  expect(data?.map(({ number }) => number)).toEqual(["4711/a"]);
  await expect.poll(async () => (await receiptOf(url, ids[0] ?? "")).body["state"]).toBe("delivered");
});

test("a receipt shows every holder of a key what became of a push", async () => {
  let status = 503;
  const { url: address } = await receiver((response) => response.writeHead(status).end());
  const { client, url } = await startAdapter({
    config: { platform: { forward: { stock: { mode: "forward", request: { url: address } } } } },
  });
  const [first = ""] = (await client.push.stock({ itemNumber: "A", amount: 1 })).ids;
  // Wait for the answer: an entry in flight is not superseded.
  await expect.poll(async () => (await receiptOf(url, first)).body["lastStatus"]).toBe(503);
  const [second = ""] = (await client.push.stock({ itemNumber: "A", amount: 2 })).ids;
  const { body } = await receiptOf(url, first);
  expect(body).toMatchObject({ id: first, topic: "stock", state: "superseded", supersededBy: second });
  status = 422;
  await expect.poll(async () => (await receiptOf(url, second)).body["state"], { timeout: 60_000 }).toBe("refused");
  expect((await receiptOf(url, second)).body).toMatchObject({ lastStatus: 422, deliveredAt: null });
  expect((await receiptOf(url, "evt_unknown")).status).toBe(404);
  expect((await receiptOf(url, first, {})).status).toBe(401);
  expect((await receiptOf(url, first, { "x-api-key": "wrong" })).status).toBe(401);
});

test("a reload sends what waits to the new address, with the new secret", async () => {
  const gone = await receiver((response) => response.writeHead(401).end());
  const { url: address, requests } = await platform();
  const configOf = (url: string, token: string) => ({
    platform: { forward: { items: { request: { url, auth: { kind: "bearer", token } } } } },
  });
  const { client, reload } = await startAdapter({ config: configOf(gone.url, "old-token") });
  await client.push.items({ number: "A" });
  await expect.poll(() => gone.requests.length).toBeGreaterThan(0);
  expect(await reload(configOf(address, "new-token"))).toMatchObject({ opened: ["platform/items"] });
  await expect.poll(() => requests.length, { timeout: 60_000 }).toBe(1);
  expect(requests[0]?.headers.authorization).toBe("Bearer new-token");
});

test("every error in the section is reported at its place, without any secret", async () => {
  const config = {
    connectors: { platform: { type: "webhook", url: "http://127.0.0.1:9/x" } },
    platform: {
      forward: {
        workOrder: {},
        workOrders: { mode: "both" },
        items: { request: { url: "ftp://x/y", methd: "POST" } },
        stock: {
          request: { url: "http://127.0.0.1:9/{wrong}", body: { amount: { from: "amount", round: "sideways" } } },
        },
        cancellations: {
          request: { url: "http://127.0.0.1:9/{input.workOrder}", body: { no: "workOrderNumer", why: "reason" } },
        },
        limits: { concurrency: 0 },
      },
    },
  };
  const error = await startAdapter({ config }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigError);
  const text = String((error as ConfigError).message);
  for (const part of [
    "platform is a reserved name",
    "there is no such topic",
    "Did you mean workOrders?",
    "no request is configured that sends workOrders to the platform",
    "there is no such member",
    "{wrong} has no value",
    "sideways",
    "limits.concurrency",
    "{input.workOrder} has no value",
    "did you mean workOrderNumber?",
  ]) {
    expect(text).toContain(part);
  }
});
