import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { type CollectedSpan, startCollector, treeOf } from "../support/collector/collector.ts";
import { moduleFile, moduleState } from "../support/connectors/module-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const headers = { "content-type": "application/json", traceparent: `00-${traceId}-b7ad6b7169203331-01` };
const placement = { workOrderNumber: "W-1", itemNumber: "A", completedAmount: 1, confirmedLocationName: "Wall 1" };
const place = (url: string) =>
  fetch(`${url}/WorkOrders/ForPutWall`, { method: "POST", headers, body: JSON.stringify(placement) });
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);
const events = { to: "erp" };

test("a module gets the headers of its own span, to pass them on", async () => {
  const folder = temporaryFolder();
  const operations = `confirmPutWallPlacement: async (_input, context) => {
    state.told.push(context.trace);
    return ok(null);
  }, listWorkOrders: async (_input, context) => {
    state.told.push(context.trace);
    return ok([]);
  }`;
  const path = moduleFile(folder, operations);
  const collector = await startCollector();
  const config = { connectors: { erp: { type: "module", path } }, events, serve: { workOrders: "erp" } };
  const { url } = await startAdapter({ config, env: collector.env });
  await fetch(`${url}/WorkOrders`, { headers });
  await place(url);
  const spans = await collector.until((all) => named(all, "module confirmPutWallPlacement").length > 0);
  expect(treeOf(spans, traceId)).toEqual([
    { "GET /WorkOrders": ["module listWorkOrders"] },
    {
      "POST /WorkOrders/ForPutWall": [{ "deliver confirmPutWallPlacement": ["module confirmPutWallPlacement"] }],
    },
  ]);
  const idOf = (name: string) => named(spans, name)[0]?.spanId;
  expect(moduleState(path).told).toEqual([
    { traceparent: `00-${traceId}-${idOf("module listWorkOrders")}-01` },
    { traceparent: `00-${traceId}-${idOf("module confirmPutWallPlacement")}-01` },
  ]);
  expect(collector.faults).toEqual([]);
});

test("without tracing a module gets no headers", async () => {
  const path = moduleFile(
    temporaryFolder(),
    "confirmPutWallPlacement: async (_input, context) => { state.told.push(context.trace); return ok(null); }",
  );
  const { url } = await startAdapter({ config: { connectors: { erp: { type: "module", path } }, events } });
  await place(url);
  await vi.waitFor(() => expect(moduleState(path).told).toEqual([undefined]), { timeout: 60_000 });
});

test("a statement of a database is a span of the delivery, named as the conventions name databases", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "erp.db");
  new DatabaseSync(file).exec("CREATE TABLE placed (id TEXT PRIMARY KEY, amount REAL)");
  const collector = await startCollector();
  const erp = {
    ...{ type: "sql", driver: "sqlite", file, createDeliveredTable: true },
    operations: {
      confirmPutWallPlacement: { statements: [{ sql: "INSERT INTO placed VALUES (:entryId, :completedAmount)" }] },
    },
  };
  const { url } = await startAdapter({ config: { connectors: { erp }, events }, env: collector.env });
  await place(url);
  const spans = await collector.until((all) => named(all, "sql confirmPutWallPlacement").length > 0);
  const [statement] = named(spans, "sql confirmPutWallPlacement");
  expect(statement).toMatchObject({ traceId, kind: 3, attributes: { "db.system.name": "sqlite" } });
  expect(statement?.parentSpanId).toBe(named(spans, "deliver confirmPutWallPlacement")[0]?.spanId);
  expect(JSON.stringify(spans)).not.toContain("INSERT");
});

test("a file that is written or taken in is traced", async () => {
  const folder = temporaryFolder();
  for (const name of ["in", "out"]) mkdirSync(join(folder, name));
  const collector = await startCollector();
  const erp = {
    ...{ type: "files", location: folder },
    in: [{ folder: "in", topic: "items", format: "json", everySeconds: 1, settleSeconds: 0 }],
    out: { all: { folder: "out", name: "{entryId}.json" } },
  };
  const config = { connectors: { erp }, events };
  const { url } = await startAdapter({ config, env: collector.env });
  await place(url);
  writeFileSync(join(folder, "in", "items.json"), JSON.stringify([{ number: "I-1", name: "Bolt" }]));
  const spans = await collector.until(
    (all) => named(all, "files confirmPutWallPlacement").length > 0 && named(all, "take in items").length > 0,
  );
  expect(named(spans, "files confirmPutWallPlacement")[0]).toMatchObject({ traceId, kind: 1 });
  const [taken] = named(spans, "take in items");
  expect(treeOf(spans, taken?.traceId ?? "")).toEqual([{ "take in items": ["store items"] }]);
  expect(JSON.stringify(spans)).not.toContain("items.json");
});
