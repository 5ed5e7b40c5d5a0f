import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { samplerOf } from "../../src/app/telemetry/sampler.ts";
import { telemetrySettings } from "../../src/app/telemetry/telemetry-settings.ts";
import type { TraceContext } from "../../src/kit/tracing/trace-context.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { startCollector } from "../support/collector/collector.ts";
import { authority } from "../support/receivers/certificates.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
const traceIds = fc.stringMatching(/^[0-9a-f]{32}$/);
const parentOf = (traceId: string, isSampled: boolean): TraceContext => ({
  ...{ traceId, spanId: "b7ad6b7169203331", isSampled, state: "" },
});

test.each([
  { kind: "always_on", root: true, ofSampled: true, ofUnsampled: true },
  { kind: "always_off", root: false, ofSampled: false, ofUnsampled: false },
  { kind: "traceidratio", argument: "0", root: false, ofSampled: false, ofUnsampled: false },
  { kind: "traceidratio", argument: "1", root: true, ofSampled: true, ofUnsampled: true },
  { kind: "parentbased_always_on", root: true, ofSampled: true, ofUnsampled: false },
  { kind: "parentbased_always_off", root: false, ofSampled: true, ofUnsampled: false },
  { kind: "parentbased_traceidratio", argument: "0", root: false, ofSampled: true, ofUnsampled: false },
  { kind: undefined, root: true, ofSampled: true, ofUnsampled: false },
])("the sampler $kind $argument decides as OpenTelemetry defines it", ({ kind, argument, ...expected }) => {
  const { sampler, warnings } = samplerOf(kind, argument);
  fc.assert(
    fc.property(traceIds, (traceId) => {
      expect({
        root: sampler(traceId, null),
        ofSampled: sampler(traceId, parentOf(traceId, true)),
        ofUnsampled: sampler(traceId, parentOf(traceId, false)),
      }).toEqual(expected);
    }),
  );
  expect(warnings).toEqual([]);
});

test("a trace that is recorded at one ratio is recorded at every higher one, so that processes agree", () => {
  const ratio = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(traceIds, ratio, ratio, (traceId, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const at = (share: number) => samplerOf("traceidratio", String(share)).sampler(traceId, null);
      expect(at(low) && !at(high)).toBe(false);
    }),
  );
});

test("a ratio records that share of the traces", () => {
  const { sampler } = samplerOf("traceidratio", "0.25");
  const ids = Array.from({ length: 1_000 }, (_, nth) => ((nth * 2 ** 52) / 1_000).toString(16).split(".")[0] ?? "");
  expect(ids.filter((id) => sampler(id.padStart(32, "0"), null)).length).toBe(250);
});

test.each([
  [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, /OTEL_TRACES_SAMPLER must be one of .*; parentbased_always_on is used/],
  [
    { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "10%" },
    /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
  ],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: "many" }, /OTEL_BSP_MAX_QUEUE_SIZE must be a whole number from 1; 2048 is used/],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: "br" }, /OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, /OTEL_EXPORTER_OTLP_HEADERS is not a list like key1=value1/],
  [{ OTEL_RESOURCE_ATTRIBUTES: "=x" }, /OTEL_RESOURCE_ATTRIBUTES is not a list/],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector" }, /OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an address/],
  [{ OTEL_EXPORTER_OTLP_CERTIFICATE: "/no/such/file" }, /the file of OTEL_EXPORTER_OTLP_CERTIFICATE cannot be read/],
  [{ OTEL_METRICS_EXPORTER: "console" }, /OTEL_METRICS_EXPORTER must be otlp or none; metrics are not sent/],
])("what is not understood in %o is named, and no value that may be secret", (given, warning) => {
  const { warnings } = telemetrySettings({ ...endpoint, ...given });
  expect(warnings.join("\n")).toMatch(warning);
  expect(warnings.join("\n")).not.toMatch(/\bsecret\b/);
});

test("a variable of one signal goes before the one of all signals", () => {
  const { traces, metrics } = telemetrySettings({
    ...endpoint,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://metrics:4318/own/path",
    OTEL_EXPORTER_OTLP_TIMEOUT: "3000",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "1000",
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=c",
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json",
  });
  expect([traces?.url.href, metrics?.url.href]).toEqual([
    "http://collector:4318/v1/traces",
    "https://metrics:4318/own/path",
  ]);
  expect([traces?.timeoutMs, metrics?.timeoutMs]).toEqual([1_000, 3_000]);
  expect([traces?.headers, metrics?.headers]).toEqual([{ "x-key": "c" }, { "x-key": "a b" }]);
  expect([traces?.protocol, metrics?.protocol]).toEqual(["http/protobuf", "http/json"]);
});

test.each([
  ["nothing is given", {}],
  ["the SDK is disabled", { ...endpoint, OTEL_SDK_DISABLED: "true" }],
  ["no exporter is wanted", { ...endpoint, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
])("nothing is sent if %s", (_, variables) => {
  expect(telemetrySettings(variables)).toMatchObject({ traces: null, metrics: null, warnings: [] });
});

test("names and attributes of the resource arrive with every span and every metric", async () => {
  const { env, ...collector } = await startCollector();
  const named = {
    OTEL_SERVICE_NAME: "adapter-north",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=test,site=K%C3%B6ln",
  };
  const { url } = await startAdapter({ env: { ...env, ...named, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" } });
  await fetch(`${url}/WorkOrders`);
  const spans = await collector.until((all) => all.length > 0);
  const resource = { "service.name": "adapter-north", "deployment.environment.name": "test", site: "Köln" };
  for (const span of spans) expect(span.resource).toMatchObject(resource);
  const metrics = () => collector.requests.find(({ path }) => path === "/v1/metrics");
  await vi.waitFor(() => expect(metrics()).toBeDefined(), { timeout: 60_000 });
  expect(String(metrics()?.body)).toContain("adapter-north");
  expect(collector.faults).toEqual([]);
});

test("a collector with a certificate of a private authority that asks for a client certificate gets the spans", async () => {
  const ours = authority(temporaryFolder());
  const server = ours.issue("collector", { alternatives: "DNS:localhost", use: "server" });
  const client = ours.issue("adapter", { alternatives: "DNS:adapter.example.com", use: "client" });
  const holders: unknown[] = [];
  const options = { ca: readFileSync(ours.file), cert: readFileSync(server.cert), key: readFileSync(server.key) };
  const collector = createServer({ ...options, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    // The server has only TLS connections.
    const socket = request.socket as import("node:tls").TLSSocket;
    request.resume().once("end", () => {
      holders.push(socket.getPeerCertificate().subject.CN);
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await once(collector.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void collector.close().closeAllConnections());
  // A server on a port has an address of this kind.
  const { port } = collector.address() as AddressInfo;
  const { url } = await startAdapter({
    env: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `https://localhost:${port}/v1/traces`,
      OTEL_BSP_SCHEDULE_DELAY: "20",
      OTEL_EXPORTER_OTLP_CERTIFICATE: ours.file,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: client.cert,
      OTEL_EXPORTER_OTLP_CLIENT_KEY: client.key,
    },
  });
  await fetch(`${url}/WorkOrders`);
  await vi.waitFor(() => expect(holders).toContain("adapter"), { timeout: 60_000 });
});
