import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { freePort } from "../peers/free-port.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { startCollector } from "../support/collector/collector.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const openMetrics =
  "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
const missing = missingProgram({ promtool: "prometheus" });

async function scrape(url: string, accept?: string) {
  const answer = await fetch(`${url}/metrics`, { headers: accept === undefined ? {} : { accept } });
  return { type: answer.headers.get("content-type"), text: await answer.text() };
}

/** An adapter that is traced and has answered one query. */
async function asked(protocol = "http/json") {
  const collector = await startCollector();
  const env = { ...collector.env, OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
  const adapter = await startAdapter({ env });
  await adapter.client.push.items({ number: "I-1", name: "Bolt" });
  await adapter.client.getItem({ number: "I-1" });
  return { ...adapter, collector };
}

test.each(["http/json", "http/protobuf"])(
  "the metrics of /metrics are sent to the collector (%s)",
  async (protocol) => {
    const { url, collector } = await asked(protocol);
    const found = (name: string) => collector.metrics.findLast((metric) => metric.name === name);
    await vi.waitFor(() => expect(found("crossdock_answer_seconds")).toBeDefined(), { timeout: 60_000 });
    expect(collector.faults).toEqual([]);
    expect(found("crossdock_answers_total")).toMatchObject({ kind: "sum" });
    expect(found("crossdock_answers_total")?.points).toContainEqual(
      expect.objectContaining({ labels: { operation: "getItem", result: "Succeed" }, asDouble: 1 }),
    );
    expect(found("process_resident_memory_bytes")).toMatchObject({ kind: "gauge", unit: "By" });
    const [point] = found("crossdock_answer_seconds")?.points ?? [];
    expect(point).toMatchObject({ labels: { operation: "getItem" }, count: "1" });
    const spans = await collector.until((all) => all.some(({ name }) => name.startsWith("GET /Items")));
    const server = spans.find(({ name }) => name.startsWith("GET /Items"));
    expect(point?.["exemplars"]).toEqual([
      expect.objectContaining({ traceId: server?.traceId, spanId: server?.spanId }),
    ]);
    // One registry: what is not sent is not at /metrics either, but for names without a value.
    const { text } = await scrape(url);
    const shown = [...text.matchAll(/^# TYPE (\w+) \w+\n(?=\w)/gm)].map(([, name]) => name);
    const sent = new Set(collector.metrics.map(({ name }) => name));
    expect(shown.filter((name) => !sent.has(name ?? ""))).toEqual([]);
  },
);

test("whoever asks for OpenMetrics gets it, with exemplars; everybody else gets the text format", async () => {
  const { url, collector } = await asked();
  const spans = await collector.until((all) => all.some(({ name }) => name.startsWith("GET /Items")));
  const traceId = spans.find(({ name }) => name.startsWith("GET /Items"))?.traceId;
  const open = await scrape(url, openMetrics);
  expect(open.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(open.text).toMatch(
    new RegExp(
      `^crossdock_answer_seconds_bucket\\{operation="getItem",le="[^"]+"\\} 1 # \\{trace_id="${traceId}",span_id="[0-9a-f]{16}"\\} [\\d.e-]+ [\\d.]+$`,
      "m",
    ),
  );
  expect(open.text).toMatch(/^# TYPE crossdock_answers counter$/m);
  expect(open.text).toMatch(/^crossdock_answers_total\{/m);
  expect(open.text.endsWith("\n# EOF\n")).toBe(true);
  for (const accept of [
    undefined,
    "*/*",
    "text/plain",
    "text/html,*/*;q=0.8",
    "application/openmetrics-text;q=0, text/plain",
  ]) {
    const plain = await scrape(url, accept);
    expect(plain.type).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(plain.text).not.toContain("trace_id");
  }
});

test("promtool has no complaint about either format", async ({ skip }) => {
  skip(missing !== null, missing ?? "");
  const { url } = await asked();
  const plain = await scrape(url);
  const checked = spawnSync("promtool", ["check", "metrics"], { input: plain.text, encoding: "utf8" });
  expect(checked).toMatchObject({ status: 0, stdout: "", stderr: "" });
  // The reader of OpenMetrics in promtool makes blocks of samples with times.
  const folder = temporaryFolder();
  const timed = (await scrape(url, openMetrics)).text.replace(
    /^(\w+(?:\{[^}]*\})? [^ \n]+)( # .*)?$/gm,
    (line, sample: string, exemplar = "") => (line.startsWith("#") ? line : `${sample} 1700000000${exemplar}`),
  );
  writeFileSync(join(folder, "metrics.txt"), timed);
  const made = spawnSync("promtool", ["tsdb", "create-blocks-from", "openmetrics", "metrics.txt", "blocks"], {
    ...{ cwd: folder, encoding: "utf8" },
  });
  expect(made.stderr).toBe("");
  expect(made.status).toBe(0);
});

test("a real Prometheus stores the exemplars", async ({ skip }) => {
  skip(missing !== null, missing ?? "");
  const { url, collector } = await asked();
  const spans = await collector.until((all) => all.some(({ name }) => name.startsWith("GET /Items")));
  const traceId = spans.find(({ name }) => name.startsWith("GET /Items"))?.traceId;
  const folder = temporaryFolder();
  const target = new URL(url).host;
  const config = {
    scrape_configs: [{ job_name: "crossdock", scrape_interval: "1s", static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      ...["--config.file=prometheus.yml", "--storage.tsdb.path=data", "--enable-feature=exemplar-storage"],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd: folder, stdio: "ignore" },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
  });
  const query = new URLSearchParams({
    ...{
      query: 'crossdock_answer_seconds_bucket{operation="getItem"}',
      start: "0",
      end: String(Date.now() / 1000 + 600),
    },
  });
  await vi.waitFor(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query_exemplars?${query}`);
      expect(JSON.stringify(await answer.json())).toContain(traceId);
    },
    { timeout: 60_000, interval: 500 },
  );
});
