import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { receiver } from "../../support/receivers/receiver.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A shop's own connector to a small ERP over HTTP: nothing of it knows about last known data or quarantine. */
const connector = `
import { defineConnector, Fault, ok, refuse, Type } from "crossdock/sdk";
export default defineConnector({
  type: "shop", summary: "The shop's ERP.", options: Type.Object({ address: Type.String() }),
  open: ({ address }) => {
    const ask = async (path, signal) => {
      const answer = await fetch(address + path, { signal }).catch((error) => {
        throw new Fault("unreachable", String(error));
      });
      if (answer.status >= 500) throw new Fault("unreachable", "out of order");
      return answer.status === 404 ? null : answer.json();
    };
    return {
      operations: {
        listWorkOrders: async (_, { signal }) => ok(await ask("/orders", signal)),
        findWorkOrderByCode: async ({ Code }, { signal }) => {
          const found = await ask("/orders/" + encodeURIComponent(Code), signal);
          return found === null ? refuse("WorkOrderDoesNotExist") : ok(found);
        },
        changeStatus: async () => {
          await ask("/status");
          return ok(null);
        },
      },
      check: async () => {}, close: async () => {},
    };
  },
});`;

const order = (number: string, rest: object = {}) => ({
  ...{ number, dueDate: "2030-01-31", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] },
  ...rest,
});

async function shop({ folder = temporaryFolder() } = {}) {
  let isUp = true;
  let orders: object[] = [order("W-1"), order("W-2"), order("W-3", { requests: [] })];
  const erp = await receiver((response, { path }) => {
    const one = orders.find((each) => path === `/orders/${(each as { number: string }).number}`);
    if (!isUp) response.writeHead(503).end();
    else if (path === "/orders") response.end(JSON.stringify(orders));
    else response.writeHead(one || path === "/status" ? 200 : 404).end(JSON.stringify(one ?? {}));
  });
  writeFileSync(join(folder, "shop.ts"), connector);
  const config = {
    timeZone: "Europe/Berlin",
    connectors: { erp: { type: "module", path: "shop.ts", options: { address: new URL(erp.url).origin } } },
    serve: { workOrders: "erp", codeLookup: "erp" },
    events: { to: "erp" },
  };
  const adapter = await startAdapter({ folder, config });
  return {
    ...{ adapter, erp, folder, config },
    setUp: (up: boolean) => {
      isUp = up;
    },
    give: (next: object[]) => {
      orders = next;
    },
  };
}

const asOfText = expect.stringMatching(/as of \d\d:\d\d/);

test("the floor goes on from the last known orders while the ERP is down, through a restart, and back to it afterwards", async () => {
  const { adapter, folder, config, setUp, give } = await shop();
  const first = await adapter.client.listWorkOrders();
  expect(first.data?.map(({ number }) => number)).toEqual(["W-1", "W-2"]);
  expect(first.externalMessage).toContain("W-3");

  setUp(false);
  expect(await adapter.client.listWorkOrders()).toMatchObject({ isResultSuccess: true, externalMessage: asOfText });
  const scan = await adapter.client.findWorkOrderByCode({ Code: "w-2", StorageName: "Main" });
  expect(scan).toMatchObject({ isResultSuccess: true, data: { number: "W-2" }, externalMessage: asOfText });
  const unknown = await adapter.client.findWorkOrderByCode({ Code: "W-9", StorageName: "Main" });
  expect(unknown).toMatchObject({
    isResultSuccess: false,
    data: null,
    externalMessage: expect.stringContaining("W-9"),
  });

  const ready = await fetch(`${adapter.url}/health/ready`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({
    ready: true,
    fallback: [
      { connector: "erp", capability: "workOrders", since: expect.stringMatching(/Z$/) },
      { capability: "codeLookup" },
    ],
  });

  const overview = await fetch(`${adapter.url}/admin/overview`, { headers: { "x-api-key": apiKey } });
  expect(await overview.json()).toMatchObject({
    connectors: [{ name: "erp", unanswered: [{ capability: "workOrders", since: expect.stringMatching(/Z$/) }, {}] }],
  });

  // The event waits in the journal; the ERP cannot know of it, and yet the order is not offered again.
  expect((await adapter.client.changeStatus({ number: "W-1", status: 3 })).isResultSuccess).toBe(true);
  await adapter.close();
  const again = await startAdapter({ folder, config });
  const listed = await again.client.listWorkOrders();
  expect(listed.data?.map(({ number }) => number)).toEqual(["W-2"]);
  const finished = await again.client.findWorkOrderByCode({ Code: "W-1", StorageName: "Main" });
  expect(finished).toMatchObject({ isResultSuccess: false, externalMessage: expect.stringContaining("finished") });

  setUp(true);
  give([order("W-4")]);
  await expect
    .poll(async () => (await again.client.listWorkOrders()).data?.map(({ number }) => number), { timeout: 60_000 })
    .toEqual(["W-4"]);
  expect((await again.client.listWorkOrders()).externalMessage).toBeNull();
  const after = (await (await fetch(`${again.url}/health/ready`)).json()) as { fallback?: { capability: string }[] };
  expect(after.fallback?.map(({ capability }) => capability) ?? []).not.toContain("workOrders");
});

test("a bad order of a list waits in quarantine until the ERP gives a good one", async () => {
  const { adapter, give } = await shop();
  const kept = async () => {
    const answer = await fetch(`${adapter.url}/admin/quarantine`, { headers: { "x-api-key": apiKey } });
    return ((await answer.json()) as { records: unknown[] }).records;
  };
  await adapter.client.listWorkOrders();
  expect(await kept()).toMatchObject([
    {
      source: "erp",
      kind: "workOrders",
      number: "W-3",
      problems: [{ field: "requests" }],
      fix: expect.stringContaining("lines"),
    },
  ]);
  give([order("W-3")]);
  const mended = await adapter.client.listWorkOrders();
  expect(mended).toMatchObject({ data: [{ number: "W-3" }], externalMessage: null });
  expect(await kept()).toEqual([]);
});

test("a retry asks the ERP that answers itself: a record that is still wrong stays, a mended one leaves", async () => {
  const { adapter, give, setUp } = await shop();
  const call = async (path: string, body?: object) => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify({ operator: "kim", ...body }) };
    const answer = await fetch(`${adapter.url}/admin/quarantine${path}`, { headers, ...post });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  const retry = () => call("/1/retry", { reason: "corrected there" });
  await adapter.client.listWorkOrders();
  expect((await call("/1")).json).toMatchObject({ number: "W-3", count: 1, retry: "query" });
  expect(await retry()).toMatchObject({ status: 400, json: { errors: { requests: [expect.any(String)] } } });
  expect((await call("/1")).json).toMatchObject({ count: 2 });
  // A copy would never be served.
  expect((await call("/1/retry", { reason: "corrected here", body: order("W-3") })).status).toBe(409);
  give([]);
  expect(await retry()).toMatchObject({ status: 409, json: { detail: expect.stringContaining("did not return") } });
  setUp(false);
  expect((await retry()).status).toBe(409);
  setUp(true);
  give([order("W-3")]);
  await expect.poll(retry, { timeout: 60_000 }).toMatchObject({ status: 200, json: { entries: [] } });
  expect((await call("")).json).toMatchObject({ total: 0 });
});
