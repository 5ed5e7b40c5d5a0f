import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDeployments } from "../../src/app/deployments/start-deployments.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { silentLog } from "../../src/kit/log.ts";
import { peerGroup } from "../peers/peer.ts";
import { newDeployment, urlOf } from "../replication/deployment.ts";
import { startSharing } from "../replication/replicated-adapter.ts";
import { type CollectedSpan, startCollector } from "../support/collector/collector.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const place = (url: string) =>
  fetch(`${url}/WorkOrders/ForPutWall`, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    body: JSON.stringify({ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 }),
  });
const webhook = (url: string) => ({ connectors: { erp: { type: "webhook", url } }, events: { to: "erp" } });
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

test("deployments of one process share its telemetry, and each keeps its own traces", async () => {
  const { env, ...collector } = await startCollector();
  const erp = await receiver((response) => response.writeHead(204).end());
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ deployments: { folder: "sites" } }));
  for (const name of ["north", "south"]) {
    mkdirSync(join(cwd, "sites", name), { recursive: true });
    writeFileSync(join(cwd, "sites", name, "crossdock.yaml"), JSON.stringify(webhook(erp.url)));
    writeFileSync(join(cwd, "sites", name, ".env"), `CROSSDOCK_API_KEY=key-of-${name}\n`);
  }
  const loaded = await loadConfig({ env: { PORT: "0", ...env }, cwd });
  const { config, settings, source } = loaded;
  if (config.deployments === undefined || source === null) throw new Error("the configuration has deployments");
  const running = await startDeployments({
    ...{ config: { ...config, deployments: config.deployments }, source, env: {}, cwd, log: silentLog },
    settings: { ...settings, apiKey: "key-of-the-process" },
  });
  onTestFinished(running.close);
  for (const name of ["north", "south"]) expect((await place(`${running.url}/${name}`)).status).toBe(200);
  const spans = await collector.until((all) => named(all, "deliver confirmPutWallPlacement").length === 2);
  const calls = new Set(named(spans, "POST /WorkOrders/ForPutWall").map(({ spanId }) => spanId));
  const parents = named(spans, "deliver confirmPutWallPlacement").map(({ parentSpanId }) => parentSpanId ?? "");
  expect(new Set(parents)).toEqual(calls);
  expect(calls.size).toBe(2);
  expect(collector.faults).toEqual([]);
});

await peerGroup("postgres", "telemetry of processes that share a deployment", (address) => {
  test("what one process stored and another delivers is one trace", async () => {
    const { env, ...collector } = await startCollector();
    let isDown = true;
    const erp = await receiver((response) => response.writeHead(isDown ? 503 : 204).end());
    const sharing = { store: urlOf(address), deployment: newDeployment(), config: webhook(erp.url), env };
    const owner = await startSharing(sharing);
    const standby = await startSharing(sharing);
    expect((await place(standby.url)).status).toBe(200);
    await collector.until((all) => named(all, "deliver confirmPutWallPlacement").length > 0);
    isDown = false;
    await owner.close();
    const spans = await collector.until((all) =>
      all.some(({ attributes }) => attributes["crossdock.outcome"] === "delivered"),
    );
    const stored = named(spans, "POST /WorkOrders/ForPutWall").find(
      ({ attributes }) => attributes["messaging.message.id"] !== undefined,
    );
    if (stored === undefined) throw new Error("no call has the entry");
    for (const attempt of named(spans, "deliver confirmPutWallPlacement"))
      expect(attempt).toMatchObject({ traceId, parentSpanId: stored?.spanId });
    const processes = new Set(
      spans.filter((span) => span.traceId === traceId).map(({ resource }) => resource["service.instance.id"]),
    );
    expect(processes.size).toBe(2);
    expect(collector.faults).toEqual([]);
  });
});
