import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../test/support/adapter/adapter.ts";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import { type Log, silentLog } from "../../kit/log.ts";

/** The subject of a log line is in its fields; the text is the same for all lines of its kind. */
const warningsIn = (fields: object, text: string): string =>
  "warning" in fields ? String(fields.warning) : `${text} ${Object.values(fields).join(" ")}`;

/** An ERP that accepts put-wall amounts and no other event. */
async function erp(more: object = {}) {
  const { url, requests } = await receiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("[]"),
  );
  const { origin } = new URL(url);
  const operations = { listWorkOrders: { path: "/o" }, confirmPutWallPlacement: { path: "/placed" } };
  const config = { connectors: { erp: { type: "http", baseUrl: origin, operations } }, events: { to: "erp" }, ...more };
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (fields, text) => void warnings.push(warningsIn(fields, text)) };
  const adapter = await startAdapter({ config, log });
  const entries = async (query: string) => {
    const answer = await fetch(`${adapter.url}/admin/journal?${query}`, { headers: { "x-api-key": apiKey } });
    return ((await answer.json()) as { entries: { id: string; state: string; reason: string | null }[] }).entries;
  };
  return { ...adapter, config, operations, origin, requests, warnings, entries };
}

test("an event without a described request is not reported as delivered, and the start warns about it", async () => {
  const { client, warnings, entries, requests, reload, origin, operations, url } = await erp();
  expect(warnings).toContainEqual(expect.stringMatching(/^erp describes no request for .*changeStatus.* not sent/));
  expect(warnings.join()).not.toContain("confirmPutWallPlacement");
  expect(await client.changeStatus({ number: "W-1", status: 3 })).toMatchObject({ isResultSuccess: true });
  const [entry] = await entries("topic=changeStatus");
  expect(entry).toMatchObject({ state: "not-sent", reason: "nothing described", target: "erp" });
  expect(await entries("state=not-sent")).toHaveLength(1);
  expect(await entries("state=delivered")).toHaveLength(0);

  // When a request is configured, the event can still be sent.
  const described = { ...operations, changeStatus: { path: "/status" } };
  await reload({
    connectors: { erp: { type: "http", baseUrl: origin, operations: described } },
    events: { to: "erp" },
  });
  const replayed = await fetch(`${url}/admin/journal/${entry?.id}/replay`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ operator: "anna", reason: "described now" }),
  });
  expect(replayed.status).toBe(200);
  await expect.poll(() => requests.map(({ path }) => path)).toContain("/status");
  await expect.poll(async () => (await entries("topic=changeStatus"))[0]?.state).toBe("delivered");
});

test("an event without a target causes no warning", async () => {
  const by = Object.fromEntries(
    "cancelPutWallItem cancelWorkOrderRequest relocateCartContainers attachWorkOrder changeStatus confirmStep confirmCartStep"
      .split(" ")
      .map((id) => [id, "none"]),
  );
  const { warnings } = await erp({ events: { to: "erp", by } });
  expect(warnings).toEqual([]);
});

const order = { number: "P-1", dueDate: "2030-01-31", requests: [{ itemNumber: "A", requestedAmount: 1 }] };

test("a push that no list will show causes a warning, or is refused if the configuration says so", async () => {
  const { client, warnings, reload, config } = await erp({ serve: { workOrders: "erp" } });
  await client.push.workOrders(order);
  expect(warnings).toContainEqual(expect.stringMatching(/no list shows, because `serve.workOrders` is erp/));
  await reload({ ...config, serve: { workOrders: "erp", unservedPushes: "refuse" } });
  await expect(client.push.workOrders(order)).rejects.toThrow(/no list would show/);
  await client.push.items({ number: "A" });
  await reload({ ...config, serve: { unservedPushes: "refuse" } });
  await client.push.workOrders(order);
});

test("a source of orders that no list will show is named at the start", async () => {
  const inbound = [{ path: "/shop/orders", topic: "workOrders" }];
  const { warnings } = await erp({ serve: { workOrders: "erp" }, inbound });
  expect(warnings).toContainEqual(expect.stringMatching(/^pushes to \/shop\/orders: no list shows it/));
});
