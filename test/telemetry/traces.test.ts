import { expect, test, vi } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { type CollectedSpan, startCollector, treeOf } from "../support/collector/collector.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerId = "b7ad6b7169203331";
const headers = {
  "content-type": "application/json",
  traceparent: `00-${traceId}-${callerId}-01`,
  tracestate: "rojo=00f067aa0ba902b7",
};
const placement = (workOrderNumber: string) => ({
  ...{ workOrderNumber, itemNumber: "A-1", completedAmount: 1, confirmedLocationName: "Wall 1" },
  userEmail: "kim@example.com",
});
const place = (url: string, workOrderNumber: string, own: Record<string, string> = headers) =>
  fetch(`${url}/WorkOrders/ForPutWall`, {
    ...{ method: "POST", headers: own, body: JSON.stringify(placement(workOrderNumber)) },
  });
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

const webhook = (url: string) => ({ connectors: { erp: { type: "webhook", url } }, events: { to: "erp" } });

test.each([
  { protocol: "http/json", compression: "none" },
  { protocol: "http/protobuf", compression: "none" },
  { protocol: "http/protobuf", compression: "gzip" },
])("one trace joins the platform's call, the journal entry, the delivery and the ERP's answer (%o)", async (sent) => {
  const { env, ...collector } = await startCollector();
  const protocol = { OTEL_EXPORTER_OTLP_PROTOCOL: sent.protocol, OTEL_EXPORTER_OTLP_COMPRESSION: sent.compression };
  const erp = await receiver((response) => response.writeHead(204).end());
  const { url } = await startAdapter({ config: webhook(erp.url), env: { ...env, ...protocol } });
  expect((await place(url, "W-1")).status).toBe(200);
  const spans = await collector.until((all) => named(all, "deliver confirmPutWallPlacement").length > 0);

  expect(treeOf(spans, traceId)).toEqual([
    { "POST /WorkOrders/ForPutWall": [{ "deliver confirmPutWallPlacement": ["POST"] }] },
  ]);
  const [server] = named(spans, "POST /WorkOrders/ForPutWall");
  expect(server).toMatchObject({ parentSpanId: callerId, kind: 2, traceState: "rojo=00f067aa0ba902b7" });
  expect(server?.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/WorkOrders/ForPutWall",
    "http.response.status_code": "200",
    "crossdock.result": "Succeed",
    "messaging.message.id": expect.stringMatching(/^evt_/),
  });
  const [client] = named(spans, "POST");
  expect(client).toMatchObject({ kind: 3 });
  expect(client?.attributes).toMatchObject({
    "server.address": "127.0.0.1",
    "server.port": new URL(erp.url).port,
    "http.response.status_code": "204",
  });
  expect(erp.requests[0]?.headers).toMatchObject({
    traceparent: `00-${traceId}-${client?.spanId}-01`,
    tracestate: "rojo=00f067aa0ba902b7",
  });
  const [delivered] = named(spans, "deliver confirmPutWallPlacement");
  expect(delivered?.attributes).toMatchObject({
    "messaging.message.id": server?.attributes["messaging.message.id"],
    "messaging.destination.name": "erp",
    "crossdock.attempt": "1",
    "crossdock.outcome": "delivered",
  });
  expect(server?.resource).toMatchObject({ "service.name": "crossdock", "telemetry.sdk.language": "nodejs" });
  expect(collector.faults).toEqual([]);
});

test("no order, no person, no address and no secret is in a span", async () => {
  const collector = await startCollector();
  const erp = await receiver((response) => response.writeHead(422).end("kim@example.com may not book W-4711"));
  const config = webhook(`${erp.url}?token=key-in-address`);
  const env = { ...collector.env, OTEL_EXPORTER_OTLP_HEADERS: "x-key=key-of-collector" };
  const { url } = await startAdapter({ config, env });
  await place(url, "W-4711");
  await fetch(`${url}/WorkOrders/Code?Code=W-4711&StorageName=Main`, { headers });
  await collector.until((all) => named(all, "POST").length > 0 && named(all, "GET /WorkOrders/Code").length > 0);
  const text = JSON.stringify(collector.spans);
  for (const private_ of ["W-4711", "kim@", "A-1", "Wall 1", "key-in-address", "key-of-collector", "token="])
    expect(text).not.toContain(private_);
  expect(collector.requests[0]?.headers).toMatchObject({ "x-key": "key-of-collector" });
  expect(named(collector.spans, "deliver confirmPutWallPlacement")[0]).toMatchObject({ status: { code: 2 } });
});

test("a delivery after a restart still belongs to the trace of the call, each attempt with a span of its own", async () => {
  const folder = temporaryFolder();
  const collector = await startCollector();
  let isDown = true;
  const erp = await receiver((response) => response.writeHead(isDown ? 503 : 204).end());
  const first = await startAdapter({ config: webhook(erp.url), env: collector.env, folder });
  await place(first.url, "W-1");
  await collector.until((all) => named(all, "deliver confirmPutWallPlacement").length > 0);
  await first.close();
  const failed = named(collector.spans, "deliver confirmPutWallPlacement").length;
  isDown = false;
  await startAdapter({ config: webhook(erp.url), env: collector.env, folder });
  const spans = await collector.until((all) =>
    all.some(({ attributes }) => attributes["crossdock.outcome"] === "delivered"),
  );
  const attempts = named(spans, "deliver confirmPutWallPlacement");
  expect(attempts.length).toBeGreaterThan(failed);
  const [call] = named(spans, "POST /WorkOrders/ForPutWall");
  if (call === undefined) throw new Error("the call is not traced");
  for (const attempt of attempts) expect(attempt).toMatchObject({ traceId, parentSpanId: call.spanId });
  expect(attempts[0]).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "unreachable" } });
  expect(attempts.at(-1)?.status).toBeUndefined();
  expect(collector.faults).toEqual([]);
});

test("while the platform waits, the ERP's answer is part of the same trace", async () => {
  const collector = await startCollector();
  const erp = await receiver((response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  const config = {
    connectors: {
      erp: {
        ...{ type: "http", baseUrl: new URL(erp.url).origin },
        operations: { confirmPutWallPlacement: { path: "/placed", body: { amount: "{completedAmount}" } } },
      },
    },
    events: { to: "erp", modes: { confirmPutWallPlacement: "direct" } },
  };
  const { url } = await startAdapter({ config, env: collector.env });
  await place(url, "W-1");
  const spans = await collector.until((all) => named(all, "POST /WorkOrders/ForPutWall").length > 0);
  expect(treeOf(spans, traceId)).toEqual([
    { "POST /WorkOrders/ForPutWall": [{ "deliver confirmPutWallPlacement": ["POST"] }] },
  ]);
  expect(erp.requests[0]?.headers["traceparent"]).toContain(traceId);
  expect(collector.faults).toEqual([]);
});

test("a call without a trace, or with an invalid one, begins a new one", async () => {
  const collector = await startCollector();
  const { url } = await startAdapter({ env: collector.env });
  const plain = { "content-type": "application/json" };
  await place(url, "W-1", plain);
  await place(url, "W-2", { ...plain, traceparent: `00-${"0".repeat(32)}-${callerId}-01`, tracestate: "a=1" });
  const spans = await collector.until((all) => named(all, "POST /WorkOrders/ForPutWall").length > 1);
  const servers = named(spans, "POST /WorkOrders/ForPutWall");
  for (const { parentSpanId, traceState } of servers)
    expect([parentSpanId, traceState]).toEqual([undefined, undefined]);
  expect(new Set(servers.map((span) => span.traceId)).size).toBe(2);
  expect(collector.faults).toEqual([]);
});

test("whoever began the trace decides whether it is recorded, also for a delivery; it is passed on all the same", async () => {
  const collector = await startCollector();
  const erp = await receiver((response) => response.writeHead(204).end());
  const { url } = await startAdapter({ config: webhook(erp.url), env: collector.env });
  await place(url, "W-1", { ...headers, traceparent: `00-${traceId}-${callerId}-00` });
  await vi.waitFor(() => expect(erp.requests).toHaveLength(1), { timeout: 60_000 });
  expect(erp.requests[0]?.headers["traceparent"]).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  await place(url, "W-2", { ...headers, traceparent: `00-${"c".repeat(32)}-${callerId}-01` });
  const spans = await collector.until((all) => named(all, "POST").length > 0);
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set(["c".repeat(32)]));
});

test("a call that repeats an event says so, and has no entry of its own", async () => {
  const collector = await startCollector();
  const { url } = await startAdapter({ env: collector.env });
  const once = { ...headers, "idempotency-key": "one" };
  await place(url, "W-1", once);
  await place(url, "W-1", once);
  const spans = await collector.until((all) => named(all, "POST /WorkOrders/ForPutWall").length > 1);
  const marks = spans.map(({ attributes }) => [attributes["messaging.message.id"], attributes["crossdock.repeat"]]);
  expect(marks).toEqual([
    [expect.stringMatching(/^evt_/), undefined],
    [undefined, true],
  ]);
  expect(collector.faults).toEqual([]);
});

test("a push is traced, and what it forwards belongs to its trace", async () => {
  const collector = await startCollector();
  const { url } = await startAdapter({ env: collector.env });
  const order = { number: "1", dueDate: "2030-01-01", requests: [{ itemNumber: "A", requestedAmount: 1 }] };
  const push = (body: unknown) =>
    fetch(`${url}/inbound/work-orders`, {
      ...{ method: "POST", headers: { ...headers, "x-api-key": "test-key" }, body: JSON.stringify(body) },
    });
  expect((await push([order, { ...order, number: "2" }])).status).toBe(202);
  const spans = await collector.until((all) => named(all, "POST /inbound/work-orders").length > 0);
  expect(treeOf(spans, traceId)).toEqual([{ "POST /inbound/work-orders": ["store workOrders"] }]);
  expect(named(spans, "store workOrders")[0]?.attributes).toMatchObject({ "messaging.batch.message_count": "2" });
  expect(collector.faults).toEqual([]);
});

test("a poll begins a trace that its requests and its entries belong to", async () => {
  const collector = await startCollector();
  const order = { number: "1", dueDate: "2030-01-01", requests: [{ itemNumber: "A", requestedAmount: 1 }] };
  const erp = await receiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([order])),
  );
  const config = {
    connectors: {
      erp: { type: "http", baseUrl: new URL(erp.url).origin, poll: [{ topic: "workOrders", path: "/orders" }] },
    },
  };
  await startAdapter({ config, env: collector.env });
  const spans = await collector.until((all) => named(all, "poll workOrders").length > 0);
  const [poll] = named(spans, "poll workOrders");
  expect(poll?.parentSpanId).toBeUndefined();
  expect(treeOf(spans, poll?.traceId ?? "")).toEqual([
    { "poll workOrders": ["GET", { "take in workOrders": ["store workOrders"] }] },
  ]);
  expect(erp.requests[0]?.headers["traceparent"]).toContain(poll?.traceId);
  expect(collector.faults).toEqual([]);
});
