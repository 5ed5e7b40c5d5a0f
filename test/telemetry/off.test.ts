import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "../../src/kit/log.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { startCollector } from "../support/collector/collector.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

/** The modules that a process loads which starts an adapter, answers an event and stops. */
function loadedWith(variables: Record<string, string>): readonly string[] {
  const folder = temporaryFolder();
  const script = join(folder, "start.mjs");
  writeFileSync(
    script,
    `import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
const { start } = await import(${JSON.stringify(join(root, "src/app/start.ts"))});
const { loadConfig } = await import(${JSON.stringify(join(root, "src/config/load-config.ts"))});
const env = { PORT: "0", CROSSDOCK_API_KEY: "k", CROSSDOCK_SAMPLE: "false", ...${JSON.stringify(variables)} };
const { config, settings } = await loadConfig({ env, cwd: ${JSON.stringify(folder)} });
const adapter = await start({ config, settings: { ...settings, apiKey: "k" } });
const body = JSON.stringify({ workOrderNumber: "1", itemNumber: "A", completedAmount: 1 });
const headers = { "content-type": "application/json", traceparent: "00-${"a".repeat(32)}-${"b".repeat(16)}-01" };
const answer = await fetch(adapter.url + "/WorkOrders/ForPutWall", { method: "POST", headers, body });
await answer.text();
await adapter.close();
console.log(JSON.stringify(loaded));
`,
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 100_000 });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "[]") as string[];
}

const ofTelemetry = (loaded: readonly string[]) => loaded.filter((url) => url.includes("/src/app/telemetry/"));

test("no part of telemetry is loaded unless a variable asks for it", { timeout: 240_000 }, () => {
  const off = loadedWith({});
  expect(off.length).toBeGreaterThan(100);
  expect(ofTelemetry(off)).toEqual([]);
  const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" };
  expect(ofTelemetry(loadedWith(disabled))).toEqual([]);
  expect(ofTelemetry(loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" })).length).toBeGreaterThan(5);
});

function readableLog() {
  const lines: Record<string, unknown>[] = [];
  const at = (fields: object, text: string) => void lines.push({ ...fields, text });
  const log: Log = { debug: at, info: at, warn: at, error: at };
  return { lines, log };
}

const erp = { type: "webhook", url: "http://127.0.0.1:1/events" };
const config = { connectors: { erp }, events: { to: "erp" }, logLevel: "debug" };
const headers = { "content-type": "application/json", traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
const body = JSON.stringify({ workOrderNumber: "1", itemNumber: "A", completedAmount: 1 });
const failure = "delivery failed; it will be retried";

test("a line that a delivery logs names its trace and its span, and other lines name none", async () => {
  const { lines, log } = readableLog();
  const collector = await startCollector();
  const { url } = await startAdapter({ config, env: collector.env, log });
  await fetch(`${url}/WorkOrders/ForPutWall`, { method: "POST", headers, body });
  const spans = await collector.until((all) => all.some(({ name }) => name === "deliver confirmPutWallPlacement"));
  const failed = lines.find(({ text }) => text === failure);
  const attempt = spans.find(({ spanId }) => spanId === failed?.["span_id"]);
  expect(attempt).toMatchObject({ traceId: "a".repeat(32), name: "deliver confirmPutWallPlacement" });
  expect(failed?.["trace_id"]).toBe("a".repeat(32));
  expect(lines.filter(({ text }) => text === "opened").filter((line) => "trace_id" in line)).toEqual([]);
});

test("without telemetry the trace of the platform is neither stored nor passed on nor logged", async () => {
  const { lines, log } = readableLog();
  const { url } = await startAdapter({ config, log });
  await fetch(`${url}/WorkOrders/ForPutWall`, { method: "POST", headers, body });
  const shown = await fetch(`${url}/admin/journal/1`, { headers: { "x-api-key": "test-key" } });
  expect(await shown.json()).toMatchObject({ traceId: null });
  expect(lines.filter((line) => "trace_id" in line)).toEqual([]);
});
